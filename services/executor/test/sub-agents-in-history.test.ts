import { expect } from "chai";
import { loadInvestigation } from "../features/chat/feature.ts";
import { loadJudged } from "../features/scoring/load-judged.ts";
import { ask } from "./follow-up-fixture.ts";
import { answerTurn, callStep } from "./scripted-turns.ts";
import { SubAgentFixture, dispatches, ofChild } from "./sub-agent-fixture.ts";

const AFTER_ALL = 100;

describe("the sub-agents of an investigation", () => {
  const resources = new AsyncDisposableStack();
  let sub: SubAgentFixture;
  let id: string;

  before(async () => {
    sub = resources.use(await SubAgentFixture.start());
    await sub.runs.play(
      { when: { contains: "CURRENT TASK" }, steps: [{ text: "the answer" }] },
      ofChild(
        { when: { call: 1 }, steps: [{ thinking: "hm" }, callStep("native-thinking", "k8s.pods", { n: 1 })] },
        "job-a",
      ),
      ofChild(answerTurn("native-thinking", "node 7 is full"), "job-a"),
      ofChild(answerTurn("native-thinking", "node 8 is fine"), "job-b"),
      dispatches("native-thinking", "job-a", "job-b"),
      {
        when: { contains: ["node 7 is full", "node 8 is fine"] },
        steps: answerTurn("native-thinking", "move the pods").steps,
      },
      answerTurn("native-thinking", "I wait"),
    );
    id = await sub.insert({ childServers: ["k8s"] });
    expect(await sub.runs.run(id)).to.equal("completed");
    // What a sub-agent had begun when it was stopped is no part of what it did.
    await sub.runs.executor.query(
      `UPDATE timeline_events t SET status = 'cancelled' FROM agent_executions e
       WHERE e.execution_id = t.execution_id AND e.session_id = $1 AND e.task = 'job-b' AND event_type = 'llm_response'`,
      [id],
    );
  });
  after(() => resources.disposeAsync());

  const stage = () => ({ session_id: id, stage_index: AFTER_ALL });
  const investigation = async (maxBytes: number) =>
    loadInvestigation(sub.runs.executor.db, stage(), { maxBytes, withChat: true });

  it("are shown to a later question below the agent that started them, and not beside it", async () => {
    const asked = await ask(sub.runs.executor, id);
    expect(await sub.runs.run(id)).to.equal("followed-up");
    const sql =
      "SELECT content FROM messages WHERE execution_id = $1 AND role = 'user' ORDER BY sequence_number LIMIT 1";
    const [message] = await sub.runs.executor.query(sql, [asked.executionId]);
    const headings = [...JSON.stringify(message).matchAll(/\\n(##+ (?:Agent|Sub-agent) \w+)/gu)];
    expect(headings.map(([, heading]) => heading)).to.deep.equal([
      "### Agent TestAgent",
      "#### Sub-agent Checker",
      "#### Sub-agent Checker",
    ]);
    expect(message)
      .to.have.property("content")
      .that.includes("job-a\n<!-- ASSIGNED_TASK_END")
      .and.includes("node 7 is full\n<!-- FINAL_ANALYSIS_END")
      .and.includes("**Tool Call:** ")
      .and.does.not.include("node 8 is fine\n<!-- AGENT_RESPONSE_END");
  });

  it("are shown to the judge, with the tools that they had", async () => {
    const { stages, offers } = await loadJudged(sub.runs.executor.db, stage(), 100_000);
    expect(stages).to.have.length(1);
    const [agent, ...others] = stages[0]?.agents ?? [];
    expect(others).to.deep.equal([]);
    const types = agent?.subAgents.map(({ events }) => events.map(({ event_type }) => event_type));
    expect(types).to.deep.equal([
      ["task_assigned", "llm_thinking", "llm_tool_call", "tool_result", "llm_response", "final_analysis"],
      ["task_assigned", "final_analysis"],
    ]);
    expect(offers.map(({ agent: name }) => name)).to.deep.equal(["Checker", "Checker"]);
  });

  it("fill no more than the history may have: their answers are left out before the investigation's own", async () => {
    const all = await investigation(100_000);
    expect(all.omitted).to.deep.equal({ thoughts: 0, results: 0, steps: 0 });
    const least = await investigation(Buffer.byteLength("move the pods") + 10);
    const [agent] = least.stages[0]?.agents ?? [];
    expect(agent?.events.map(({ content }) => content)).to.deep.equal(["move the pods"]);
    expect(agent?.subAgents.map(({ events }) => events)).to.deep.equal([[], []]);
    const { thoughts, results } = least.omitted;
    expect({ thoughts, results }).to.deep.equal({ thoughts: 1, results: 3 });
  });
});
