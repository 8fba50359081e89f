import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { until } from "../../../test/support/until.ts";
import { answerTurn, callStep } from "./scripted-turns.ts";
import { SubAgentFixture, dispatches, ofChild } from "./sub-agent-fixture.ts";

describe("the limits of an agent with sub-agents", () => {
  const resources = new AsyncDisposableStack();
  let sub: SubAgentFixture;

  before(async () => {
    sub = resources.use(await SubAgentFixture.start());
  });
  after(() => resources.disposeAsync());

  it("refuses what is too much or unknown, and goes on", async () => {
    const strategy = "native-thinking";
    const call = (name: string, args: object) => callStep(strategy, name, args);
    await sub.runs.play(
      ofChild({ steps: [{ hang: true }] }),
      {
        when: { call: 1 },
        steps: [
          call("list_agents", {}),
          call("google:dispatch_agent", { name: "Checker", task: "one" }),
          call("dispatch_agent", { name: "Checker", task: "two" }),
          call("dispatch_agent", { name: "Checker", task: "three" }),
          call("dispatch_agent", { name: "Nobody", task: "four" }),
          call("dispatch_agent", { name: "Checker" }),
          call("dispatch_agent", { name: 7, task: "five" }),
          call("cancel_agent", {}),
          call("cancel_agent", { execution_id: "none" }),
          call("list_agents", {}),
        ],
      },
      { when: { call: 2 }, steps: [{ text: "enough" }] },
      answerTurn(strategy, "concluded"),
    );
    const id = await sub.insert({ limits: { max_concurrent_agents: 2, agent_timeout_ms: 1_500 } });
    expect(await sub.runs.run(id)).to.equal("completed");
    const results = await sub.runs.executor.query(
      `SELECT tool_result ->> 'content' AS content FROM mcp_interactions
       WHERE session_id = $1 AND interaction_type = 'tool_call' ORDER BY created_at`,
      [id],
    );
    const texts = results.map((row) => JSON.stringify(row)).join("\n");
    for (const text of [
      "No sub-agents dispatched yet.",
      "dispatch failed: max concurrent agents exceeded: limit is 2",
      "dispatch failed: agent not found in registry: Nobody",
      "both 'name' and 'task' are required",
      "invalid arguments:",
      "'execution_id' is required",
      "cancel failed: execution not found: none",
    ]) {
      expect(texts).to.include(text);
    }
    expect(texts).to.match(/- Checker \(exec [\w-]+\): status=(?:pending|active), task=\\"one\\"/u);
    expect(await sub.children(id)).to.have.length(2);
    expect(
      (await sub.told(id)).filter((text) => text.includes("[Sub-agent timed_out] Checker")),
    ).to.have.length(2);
    expect(await sub.status(id)).to.deep.include.members([
      { session: "completed", stage: "completed", final_analysis: "concluded" },
    ]);
  });

  it("starts no more sub-agents in all than it may, also when none is at work any more", async () => {
    const strategy = "native-thinking";
    await sub.runs.play(
      ofChild(answerTurn(strategy, "result a"), "job-a"),
      ofChild(answerTurn(strategy, "result b"), "job-b"),
      dispatches(strategy, "job-a", "job-b"),
      { when: { contains: "max dispatches exceeded: limit is 2" }, steps: [{ text: "two are enough" }] },
      {
        when: { contains: ["result a", "result b"] },
        steps: [callStep(strategy, "dispatch_agent", { name: "Checker", task: "job-c" })],
      },
      answerTurn(strategy, "I wait"),
    );
    const id = await sub.insert({ limits: { max_dispatches: 2 } });
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.status(id)).to.deep.include({
      session: "completed",
      stage: "completed",
      final_analysis: "two are enough",
    });
    expect(await sub.children(id)).to.have.length(2);
  });

  it("stops a sub-agent that it cancels, and hears so once", async () => {
    const strategy = "native-thinking";
    const id = await sub.insert();
    const parent = uuidFrom("execution:1", uuidFrom("stage:1", id));
    const child = uuidFrom("sub-agent", toolCallId(parent, { iteration: 1, index: 0 }));
    const cancel = callStep(strategy, "cancel_agent", { execution_id: child });
    await sub.runs.play(
      ofChild({ steps: [{ text: "half a" }, { hang: true }] }),
      dispatches(strategy, "job-a"),
      // The model takes its time, so that the sub-agent is in its call.
      { when: { call: 2 }, steps: [{ delay: "1s" }, cancel] },
      { when: { contains: "already cancelled" }, steps: [{ text: "without it" }] },
      { when: { contains: "[Sub-agent cancelled] Checker" }, steps: [cancel] },
      answerTurn(strategy, "I wait"),
    );
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.status(id)).to.deep.include({
      session: "completed",
      stage: "completed",
      final_analysis: "without it",
    });
    expect(await sub.children(id)).to.deep.equal([
      {
        agent_index: 1,
        status: "cancelled",
        task: "job-a",
        delivered: true,
        error_message: "stopped by the agent that started it",
      },
    ]);
    const told = await sub.told(id);
    expect(told.filter((text) => text.includes("[Sub-agent cancelled] Checker"))).to.have.length(1);
    expect(told.filter((text) => text.includes(`cancel ${child}: cancellation requested`))).to.have.length(1);
    const rows = await sub.runs.executor.query(
      "SELECT event_type::text, status::text, content FROM timeline_events WHERE execution_id = $1 ORDER BY sequence_number",
      [child],
    );
    expect(rows).to.deep.equal([
      { event_type: "task_assigned", status: "completed", content: "job-a" },
      { event_type: "llm_response", status: "cancelled", content: "half a" },
    ]);
  });

  it("gives the only place to another sub-agent while one waits for its provider and it waits for both", async () => {
    const strategy = "native-thinking";
    const error = {
      code: "rate_limited",
      message: "later",
      retryable: true,
      retry_after: "500ms",
      retried: false,
    };
    const play = async (ofFirst: object) =>
      sub.runs.play(
        ofChild({ steps: [ofFirst] }, "job-a"),
        ofChild(answerTurn(strategy, "result b"), "job-b"),
        dispatches(strategy, "job-a", "job-b"),
        { when: { contains: ["result a", "result b"] }, steps: [{ text: "both heard" }] },
        answerTurn(strategy, "I wait"),
      );
    await play({ error });
    const id = await sub.insert({ maxParallel: 1 });
    const run = await sub.runs.begin(id);
    const heard = async () =>
      (await sub.told(id)).flatMap((text) => /result [ab](?=\\n)/u.exec(text)?.[0] ?? []);
    await until("the second one is heard", async () => (await heard()).length === 1);
    await play({ text: "result a" });
    expect(await run.end).to.equal("completed");
    expect(await sub.status(id)).to.deep.include({
      session: "completed",
      stage: "completed",
      final_analysis: "both heard",
    });
    expect(await heard()).to.deep.equal(["result b", "result a"]);
  });

  it("reads all results although its iterations are used up", async () => {
    const strategy = "native-thinking";
    await sub.runs.play(
      ofChild({ steps: [{ delay: "300ms" }, { text: "slow result" }] }),
      dispatches(strategy, "a", "b", "c"),
      { when: { contains: "slow result" }, steps: [{ text: "read them all" }] },
      answerTurn(strategy, "I wait"),
    );
    const id = await sub.insert({ maxIterations: 2, maxParallel: 1 });
    expect(await sub.runs.run(id)).to.equal("completed");
    expect((await sub.told(id)).filter((text) => text.includes("slow result"))).to.have.length(3);
    expect(
      (await sub.children(id)).every((row) => JSON.stringify(row).includes('"delivered":true')),
    ).to.equal(true);
  });

  it("concludes without those that are not ready when its budget is over, and stops them", async () => {
    const strategy = "native-thinking";
    await sub.runs.play(
      ofChild({ steps: [{ hang: true }] }),
      dispatches(strategy, "a"),
      { when: { contains: "These have not finished" }, steps: [{ text: "without them" }] },
      answerTurn(strategy, "I wait"),
    );
    const id = await sub.insert({ limits: { max_budget_ms: 1_000 } });
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.status(id)).to.deep.include.members([
      { session: "completed", stage: "completed", final_analysis: "without them" },
    ]);
    expect(await sub.children(id)).to.deep.equal([
      {
        agent_index: 1,
        status: "cancelled",
        task: "a",
        delivered: false,
        error_message: "stopped by the agent that started it",
      },
    ]);
  });
});
