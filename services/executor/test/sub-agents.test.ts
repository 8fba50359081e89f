import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";
import { CHILD, SubAgentFixture, dispatches, ofChild } from "./sub-agent-fixture.ts";

describe("an agent with sub-agents", () => {
  const resources = new AsyncDisposableStack();
  let sub: SubAgentFixture;

  before(async () => {
    sub = resources.use(await SubAgentFixture.start());
  });
  after(() => resources.disposeAsync());

  for (const strategy of ["native-thinking", "react"] as const) {
    it(`hears each of its three sub-agents once, and answers after the last: ${strategy}`, async () => {
      const calls =
        strategy === "react"
          ? ["a", "b", "c"].map((task, index) =>
              callTurn(strategy, index + 1, "dispatch_agent", { name: "Checker", task: `job-${task}` }),
            )
          : [dispatches(strategy, "job-a", "job-b", "job-c")];
      await sub.runs.play(
        ...["a", "b", "c"].map((task) => ofChild(answerTurn(strategy, `result ${task}`), `job-${task}`)),
        ...calls,
        {
          when: { contains: ["result a", "result b", "result c"] },
          steps: answerTurn(strategy, "all heard").steps,
        },
        answerTurn(strategy, "I wait"),
      );
      const id = await sub.insert({ strategy });
      expect(await sub.runs.run(id)).to.equal("completed");
      expect(await sub.status(id)).to.deep.equal([
        { session: "completed", stage: "completed", final_analysis: "all heard" },
      ]);
      expect(await sub.children(id)).to.deep.equal(
        ["a", "b", "c"].map((task, index) => ({
          agent_index: index + 1,
          status: "completed",
          task: `job-${task}`,
          delivered: true,
          error_message: null,
        })),
      );
      const heard = (await sub.told(id)).filter((text) =>
        text.includes("[Sub-agent completed] Checker (exec "),
      );
      expect(heard).to.have.length(3);
      const answers = await sub.runs.executor.query(
        `SELECT t.content FROM timeline_events t JOIN agent_executions e USING (execution_id)
         WHERE t.session_id = $1 AND event_type = 'final_analysis' AND parent_execution_id IS NULL`,
        [id],
      );
      expect(answers).to.deep.equal([{ content: "all heard" }]);
    });
  }

  it("gives a sub-agent its instructions and its task, and nothing else", async () => {
    await sub.runs.play(
      ofChild(answerTurn("native-thinking", "done")),
      dispatches("native-thinking", "look at node 7"),
      answerTurn("native-thinking", "over"),
    );
    const id = await sub.insert({ childType: "action" });
    expect(await sub.runs.run(id)).to.equal("completed");
    const [system, user] = await sub.runs.executor.query(
      `SELECT content FROM messages m JOIN agent_executions e USING (execution_id)
       WHERE m.session_id = $1 AND parent_execution_id IS NOT NULL ORDER BY sequence_number`,
      [id],
    );
    expect(system).to.have.property("content").that.includes(CHILD).and.does.not.include("dispatch_agent");
    expect(user)
      .to.have.property("content")
      .that.matches(/^## Task\n/u)
      .and.includes("look at node 7");
    expect(user).to.have.property("content").that.does.not.include("ALERT_DATA");
  });

  it("ends with its sub-agents when the session is cancelled", async () => {
    await sub.runs.play(
      ofChild({ steps: [{ hang: true }] }),
      dispatches("native-thinking", "a", "b"),
      answerTurn("native-thinking", "I wait"),
    );
    const id = await sub.insert();
    const run = await sub.runs.begin(id);
    const running = async () =>
      (await sub.children(id)).filter((row) => JSON.stringify(row).includes('"status":"active"')).length ===
      2;
    await until("both sub-agents run", running);
    sub.runs.stop(id, "user");
    expect(await run.end).to.equal("cancelled");
    expect((await sub.children(id)).map((row) => JSON.stringify(row)).join()).to.match(
      /(?:"cancelled".*){2}/u,
    );
  });

  it("may not have a sub-agent use a tool that is not the sub-agent's own", async () => {
    const strategy = "native-thinking";
    await sub.runs.play(
      ofChild(callTurn(strategy, 1, "k8s.pods", { n: 1 })),
      ofChild(answerTurn(strategy, "no tool")),
      dispatches(strategy, "a"),
      answerTurn(strategy, "over"),
    );
    const before = await sub.tools.calls();
    const id = await sub.insert({ servers: ["k8s"] });
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.tools.calls()).to.equal(before);
  });
});
