import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { parkSession } from "../parking/park-session.ts";
import { askToPark, wasParkedFor } from "./park.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";
import { CHILD, SubAgentFixture, dispatches } from "./sub-agent-fixture.ts";

const STRATEGY = "native-thinking";
const parsePaused = compileParser("paused time", Type.Object({ paused_ms: Type.String() }));
const parseTimes = compileParser(
  "times of an agent",
  Type.Object({
    deadline_at: Type.Union([Type.String(), Type.Null()]),
    budget_until: Type.Union([Type.String(), Type.Null()]),
  }),
);

describe("a session that is asked to park", () => {
  const resources = new AsyncDisposableStack();
  let sub: SubAgentFixture;

  before(async () => {
    sub = resources.use(await SubAgentFixture.start());
  });
  after(() => resources.disposeAsync());

  const runtime = async (id: string) =>
    sub.runs.executor.row(
      "session_runtime",
      `lease_expires_at, attempts, interruptions, parkings, parked_at IS NOT NULL AS parked, not_before = 'infinity' AS left_alone`,
      id,
    );
  const PARKED = { lease_expires_at: null, attempts: 0, interruptions: 0, parked: true, left_alone: true };
  /** Its answers of the model without those for the summary, and all that is open in its timeline. */
  const llmCalls = async (id: string) =>
    sub.runs.executor.query(
      "SELECT llm_response IS NOT NULL AS answered FROM llm_interactions WHERE session_id = $1 AND interaction_type <> 'executive_summary'",
      [id],
    );
  const payloads = async (id: string, type: string) =>
    sub.runs.executor.query("SELECT payload FROM events WHERE session_id = $1 AND payload->>'type' = $2", [
      id,
      type,
    ]);
  const untilRow = async (id: string, sql: string) =>
    until("the row is there", async () => (await sub.runs.executor.query(sql, [id])).length > 0);
  const untilStreams = async (id: string) =>
    untilRow(id, "SELECT 1 FROM timeline_events WHERE session_id = $1 AND status = 'streaming'");
  const untilCalls = async (id: string) =>
    untilRow(id, "SELECT 1 FROM tool_calls WHERE session_id = $1 AND state = 'running'");

  it("aborts a call of the model after 2 s, and makes it again when it goes on, recorded once", async () => {
    await sub.runs.play({ steps: [{ text: "half " }, { delay: "60s" }, { text: "never" }] });
    const id = await sub.runs.executor.insert({ strategy: STRATEGY });
    const { end } = await sub.runs.begin(id);
    await untilStreams(id);
    const keys = await sub.runs.timelineKeys(id);
    await askToPark(sub.runs.executor, id);
    expect(await end).to.equal("parked");
    expect(await runtime(id)).to.deep.equal({ ...PARKED, parkings: 1 });
    expect(await llmCalls(id)).to.deep.equal([]);
    const [parked] = await payloads(id, "session.parked");
    expect(parked)
      .to.have.property("payload")
      .that.includes({ by: "priority", actor: null, reason: "why", until: null });
    // It would have timed out.
    await wasParkedFor(sub.runs.executor, id, 2);
    await sub.runs.play(answerTurn(STRATEGY));
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await llmCalls(id)).to.deep.equal([{ answered: true }]);
    expect((await sub.runs.timelineKeys(id)).slice(0, keys.length)).to.deep.equal(keys);
    const paused = parsePaused(await sub.runs.executor.row("session_runtime", "paused_ms", id)).paused_ms;
    expect(Number(paused)).to.be.within(7_200_000, 7_260_000);
    const [resumed] = await payloads(id, "session.resumed");
    expect(resumed).to.have.nested.property("payload.parked_ms").that.is.within(7_200_000, 7_260_000);
    expect(
      await sub.runs.executor.row("session_runtime", "parked_at, park_requested_at, park_by", id),
    ).to.deep.equal({
      parked_at: null,
      park_requested_at: null,
      park_by: null,
    });
  });

  it("records an answer that is complete within 2 s, and does not ask for it again", async () => {
    await sub.runs.play({ steps: [{ text: "half " }, { delay: "1s" }, { text: "done" }] });
    const id = await sub.runs.executor.insert({ strategy: STRATEGY });
    const { end } = await sub.runs.begin(id);
    await untilStreams(id);
    await askToPark(sub.runs.executor, id);
    expect(await end).to.equal("parked");
    expect(await llmCalls(id)).to.deep.equal([{ answered: true }]);
    await sub.runs.play(answerTurn(STRATEGY, "another answer"));
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await llmCalls(id)).to.have.length(1);
    expect(await sub.runs.executor.row("alert_sessions", "final_analysis", id)).to.deep.equal({
      final_analysis: "half done",
    });
  });

  it("leaves a call of a tool that writes to its runner, and reads its result when it goes on", async () => {
    await sub.runs.play(callTurn(STRATEGY, 1, "k8s.slowWrite", {}), answerTurn(STRATEGY));
    const id = await sub.runs.executor.insert({ strategy: STRATEGY, servers: ["k8s"] });
    const called = await sub.tools.calls();
    const { end } = await sub.runs.begin(id);
    await untilCalls(id);
    await askToPark(sub.runs.executor, id);
    expect(await end).to.equal("parked");
    await untilRow(id, "SELECT 1 FROM tool_calls WHERE session_id = $1 AND state = 'completed'");
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.tools.calls()).to.equal(called + 1);
    const calls = await sub.runs.executor.query(
      `SELECT c.state, c.failure, (SELECT content LIKE '%written%' FROM messages m WHERE m.session_id = c.session_id AND role = 'tool') AS told
       FROM tool_calls c WHERE session_id = $1`,
      [id],
    );
    expect(calls).to.deep.equal([{ state: "completed", failure: null, told: true }]);
  });

  it("stops with its sub-agents, whose times move by that of the parking", async () => {
    await sub.runs.play(
      { when: { contains: [CHILD] }, steps: [{ text: "half " }, { delay: "60s" }] },
      dispatches(STRATEGY, "job-a"),
      answerTurn(STRATEGY, "I wait"),
    );
    const id = await sub.insert();
    const { end } = await sub.runs.begin(id);
    await untilRow(
      id,
      `SELECT 1 FROM timeline_events t JOIN agent_executions e USING (execution_id)
       WHERE t.session_id = $1 AND t.status = 'streaming' AND parent_execution_id IS NOT NULL`,
    );
    const times = async () =>
      (
        await sub.runs.executor.query(
          `SELECT iteration_state->>'deadline_at' AS deadline_at, iteration_state->>'budget_until' AS budget_until
           FROM agent_executions WHERE session_id = $1 ORDER BY parent_execution_id NULLS FIRST`,
          [id],
        )
      ).map((row) => parseTimes(row));
    const [parent, child] = await times();
    await askToPark(sub.runs.executor, id);
    expect(await end).to.equal("parked");
    await wasParkedFor(sub.runs.executor, id, 2);
    await sub.runs.play(
      { when: { contains: [CHILD] }, steps: answerTurn(STRATEGY, "result a").steps },
      { when: { contains: ["result a"] }, steps: answerTurn(STRATEGY, "all heard").steps },
      answerTurn(STRATEGY, "I wait"),
    );
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await sub.children(id)).to.have.length(1);
    expect((await sub.children(id))[0]).to.include({ status: "completed", delivered: true });
    const [parentLater, childLater] = await times();
    const moved = (before?: string | null, after?: string | null) =>
      Date.parse(after ?? "") - Date.parse(before ?? "");
    expect(moved(child?.deadline_at, childLater?.deadline_at)).to.be.within(7_200_000, 7_260_000);
    expect(moved(parent?.budget_until, parentLater?.budget_until)).to.be.within(7_200_000, 7_260_000);
  });

  it("is left alone while a person has parked it, and can be cancelled", async () => {
    await sub.runs.play({ steps: [{ text: "half " }, { delay: "60s" }] });
    const id = await sub.runs.executor.insert({ strategy: STRATEGY });
    const { end } = await sub.runs.begin(id);
    await untilStreams(id);
    await askToPark(sub.runs.executor, id, { by: "operator" });
    expect(await end).to.equal("parked");
    expect(await runtime(id)).to.deep.equal({ ...PARKED, parkings: 0 });
    expect(await sub.runs.executor.tryClaim(id)).to.equal("waiting");
    // A message to its agents clears it.
    await sub.runs.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    expect(await sub.runs.executor.tryClaim(id)).to.equal("waiting");
    await sub.runs.executor.cancel(id);
    expect(await sub.runs.run(id)).to.equal("cancelled");
  });

  it("is not parked if the request was taken back, or a cancel requested, before its owner gives it back", async () => {
    const { executor } = sub.runs;
    const TAKE_BACK = "UPDATE session_runtime SET park_requested_at = NULL WHERE session_id = $1";
    for (const change of [
      async (id: string) => executor.query(TAKE_BACK, [id]),
      async (id: string) => executor.cancel(id),
      async (id: string) => {
        // Its owner renews it no more.
        executor.deps.leases.forget(id, 1);
        await executor.expireLease(id);
        return executor.claim(id);
      },
    ]) {
      const id = await executor.insert();
      await using session = await executor.own(id);
      await askToPark(executor, id, { isTold: false });
      await change(id);
      expect(await parkSession(session)).to.equal(false);
      expect(await payloads(id, "session.parked")).to.deep.equal([]);
      expect(await executor.row("session_runtime", "parked_at", id)).to.deep.equal({ parked_at: null });
    }
  });

  it("is parked by its next owner if the one that was asked is lost", async () => {
    await sub.runs.play({ steps: [{ text: "half " }, { delay: "60s" }] });
    const id = await sub.runs.executor.insert({ strategy: STRATEGY });
    const run = await sub.runs.begin(id);
    await untilStreams(id);
    await askToPark(sub.runs.executor, id, { isTold: false });
    sub.runs.stop(id, "lease_lost");
    expect(await run.end).to.equal("lost");
    await sub.runs.executor.expireLease(id);
    expect(await sub.runs.run(id)).to.equal("parked");
    await sub.runs.play(answerTurn(STRATEGY));
    expect(await sub.runs.run(id)).to.equal("completed");
    expect(await llmCalls(id)).to.deep.equal([{ answered: true }]);
  });
});
