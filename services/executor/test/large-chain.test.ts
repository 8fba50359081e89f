import { expect } from "chai";
import { cancelledByUser } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { itNightly } from "../../../test/support/nightly.ts";
import { RunFixture } from "./run-fixture.ts";

const names = (count: number) => Array.from({ length: count }, (_, n) => `Agent${n + 1}`);
const look = (call: number) => ({
  when: { call },
  steps: [{ text: "Thought: look\nAction: k8s.large\nAction Input: {}" }],
});
const SYNTHESIS = { when: { contains: "Bring the results" }, steps: [{ text: "all agree" }] };
const ANSWER = { steps: [{ text: "Final Answer: found it" }] };

describe("a stage of many agents", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** Runs twenty agents that each call the tool with the largest result `looks` times. */
  const run = async (looks: number) => {
    await fixture.play(SYNTHESIS, ...Array.from({ length: looks }, (_, n) => look(n + 1)), ANSWER);
    const id = await fixture.executor.insert({
      strategy: "react",
      servers: ["k8s"],
      stages: [names(20)],
      resultTokens: 1_000_000,
    });
    return { id, end: await fixture.run(id) };
  };
  const synthesis = async (id: string) =>
    fixture.executor.query(
      `SELECT e.status, e.error_code, e.error_message, s.status AS stage, (SELECT count(*)::int FROM messages m WHERE m.execution_id = e.execution_id) AS messages
       FROM agent_executions e JOIN stages s USING (stage_id) WHERE e.session_id = $1 AND agent_index = 21`,
      [id],
    );

  itNightly("is synthesised if all results fit one message", async () => {
    const { id, end } = await run(1);
    expect(end).to.equal("completed");
    expect(await fixture.executor.row("alert_sessions", "final_analysis", id)).to.deep.equal({
      final_analysis: "all agree",
    });
  });

  itNightly("fails with an error that names the remedy if they do not fit", async () => {
    const { id, end } = await run(4);
    expect(end).to.equal("failed");
    const error_message =
      "the results of 20 agents hold 20.0 MiB, but one message to the LLM gateway may hold 16.0 MiB: set a lower max_tool_result_tokens or let fewer agents run";
    expect(await synthesis(id)).to.deep.equal([
      { status: "failed", error_code: "message_too_large", error_message, stage: "failed", messages: 0 },
    ]);
    expect(await fixture.executor.row("alert_sessions", "error_code, final_analysis", id)).to.deep.equal({
      error_code: "message_too_large",
      final_analysis: "found it",
    });
  });

  it("runs five of a hundred agents concurrently and renews the lease meanwhile", async () => {
    await fixture.play({ steps: [{ text: "so far" }, { hang: true }] });
    const before = await fixture.gateway.calls();
    const id = await fixture.executor.insert({ stages: [names(100)], maxParallel: 5 });
    const { end } = await fixture.begin(id);
    await until("five calls run", async () => (await fixture.gateway.running()) === 5);
    const renewed = async () => fixture.executor.row("session_runtime", "lease_expires_at", id);
    const lease = JSON.stringify(await renewed());
    await until("the lease is renewed", async () => JSON.stringify(await renewed()) !== lease);
    expect(await fixture.gateway.running()).to.equal(5);
    await fixture.executor.cancel(id);
    fixture.executor.deps.leases.find(id)?.stop(cancelledByUser());
    expect(await end).to.equal("cancelled");
    await until("the calls are ended", async () => (await fixture.gateway.running()) === 0);
    expect((await fixture.gateway.calls()) - before).to.equal(5);
    expect(
      await fixture.executor.query(
        "SELECT status, count(*)::int FROM agent_executions WHERE session_id = $1 GROUP BY 1",
        [id],
      ),
    ).to.deep.equal([{ status: "cancelled", count: 100 }]);
  });
});
