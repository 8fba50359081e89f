import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { CancelledError } from "#shared/errors.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { commitStep, type CommitKind } from "../persist/commit-step.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

describe("commitStep", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  const event = (sessionId: string): UnstampedPayload => ({
    type: "session.status",
    session_id: sessionId,
    status: "in_progress",
  });
  /** A step that leaves a mark in the session's rows. */
  const mark = ({ sessionId }: OwnedSession, text: string): StepRecord => ({
    rows: {
      stages: [
        {
          stage_id: randomUUID(),
          stage_name: text,
          stage_index: 1,
          expected_agent_count: 1,
          parallel_type: null,
          success_policy: null,
          stage_type: "investigation",
        },
      ],
    },
    events: [event(sessionId)],
  });
  const commit = async (session: OwnedSession, text: string, kind: CommitKind = "step") => {
    try {
      await commitStep(session, [mark(session, text)], kind);
      return "committed";
    } catch (error) {
      if (error instanceof CancelledError) return error.reason;
      throw error;
    }
  };
  const written = async (id: string) =>
    executor.query(
      `SELECT stage_name AS mark, last_seq FROM session_runtime LEFT JOIN stages USING (session_id)
       WHERE session_id = $1`,
      [id],
    );

  it("writes rows, events and token sums in one transaction and resets attempts and interruptions", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    await executor.query("UPDATE session_runtime SET attempts = 3, interruptions = 2 WHERE session_id = $1", [
      id,
    ]);
    const tokens = { input: 1, output: 2, thinking: 3, total: 6 };
    const step = { rows: {}, events: [event(id), event(id)], tokens };
    await commitStep(session, [step]);
    await commitStep(session, [step]);
    expect(
      await executor.row(
        "session_runtime",
        "attempts, interruptions, last_seq, input_tokens::int, output_tokens::int, thinking_tokens::int, total_tokens::int, lease_expires_at > now() AS leased",
        id,
      ),
    ).to.deep.equal({
      attempts: 0,
      interruptions: 0,
      last_seq: 5,
      input_tokens: 2,
      output_tokens: 4,
      thinking_tokens: 6,
      total_tokens: 12,
      leased: true,
    });
  });

  it("writes nothing with a stale epoch, of any kind, and stops the session", async () => {
    const id = await executor.insert();
    await using former = await executor.own(id);
    await executor.expireLease(id);
    await using current = await executor.own(id);
    for (const kind of ["step", "finish", "close"] as const) {
      expect(await commit(former, "former", kind)).to.equal("lease_lost");
    }
    expect(former.signals.cancelled.aborted).to.equal(true);
    // The two claims wrote an event each: the start, and the takeover.
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 2 }]);
    expect(await commit(current, "current")).to.equal("committed");
    expect(await written(id)).to.deep.equal([{ mark: "current", last_seq: 3 }]);
  });

  it("writes nothing on rows that lack its last step, which a failover of Postgres can lose", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const claimed = await executor.row("session_runtime", "last_step::text, last_seq", id);
    expect(await commit(session, "lost")).to.equal("committed");
    await executor.query("DELETE FROM stages WHERE session_id = $1", [id]);
    await executor.query(
      "UPDATE session_runtime r SET last_step = f.last_step, last_seq = f.last_seq FROM jsonb_to_record($2) AS f(last_step uuid, last_seq int) WHERE session_id = $1",
      [id, JSON.stringify(claimed)],
    );
    await executor.query("DELETE FROM events WHERE session_id = $1 AND seq > 1", [id]);
    expect(await commit(session, "next")).to.equal("lease_lost");
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
  });

  it("writes on after a step whose COMMIT was not answered, whether it was made or not", async () => {
    for (const isMade of [true, false]) {
      const id = await executor.insert();
      await using session = await executor.own(id);
      // As an answer that never comes leaves it.
      const unanswered = randomUUID();
      session.lastSteps.add(unanswered);
      if (isMade) {
        await executor.query("UPDATE session_runtime SET last_step = $2 WHERE session_id = $1", [
          id,
          unanswered,
        ]);
      }
      expect(await commit(session, "next")).to.equal("committed");
      expect(session.lastSteps.size).to.equal(1);
    }
  });

  it("writes nothing after a cancel, except what closes the session", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    await executor.cancel(id);
    expect(await commit(session, "step")).to.equal("user");
    expect(await commit(session, "finish", "finish")).to.equal("user");
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
    expect(await commit(session, "close", "close")).to.equal("committed");
    expect(await written(id)).to.deep.equal([{ mark: "close", last_seq: 2 }]);
  });

  it("releases the lease with the last write and refuses any write after it", async () => {
    for (const kind of ["finish", "close"] as const) {
      const id = await executor.insert();
      await using session = await executor.own(id);
      expect(await commit(session, "last", kind)).to.equal("committed");
      expect(await executor.row("session_runtime", "lease_expires_at", id)).to.deep.equal({
        lease_expires_at: null,
      });
      expect(await commit(session, "one more", "close")).to.equal("lease_lost");
      expect(await written(id)).to.deep.equal([{ mark: "last", last_seq: 2 }]);
    }
  });

  it("writes steps that are committed together as if each had been committed alone", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const [stage_id, execution_id] = [randomUUID(), randomUUID()];
    const tokens = { input: 1, output: 2, thinking: 3, total: 6 };
    const end = { status: "failed", error_message: "no", error_code: "x" } as const;
    const [stage] = mark(session, "one").rows.stages ?? [];
    if (stage === undefined) throw new Error("there is no stage");
    await commitStep(session, [
      {
        rows: {
          stages: [{ ...stage, stage_id }],
          executions: [
            {
              execution_id,
              stage_id,
              agent_name: "Ann",
              agent_index: 1,
              iteration_strategy: "react",
              iteration_state: INITIAL_ITERATION_STATE,
              llm_provider: "scripted",
              llm_backend: "scripted",
              model_name: "scripted",
            },
          ],
        },
        events: [event(id)],
      },
      { rows: { executionChanges: [{ execution_id, starts: true, tokens }] }, events: [], tokens },
      { rows: { executionChanges: [{ execution_id, end, tokens }] }, events: [event(id)], tokens },
      { rows: { stageEnds: [{ stage_id, ...end }] }, events: [event(id)] },
    ]);
    expect(
      await executor.query(
        `SELECT e.status, e.error_message, e.error_code, e.total_tokens::int AS tokens, e.seq, e.duration_ms,
                e.started_at = e.completed_at AS at_once, s.status AS stage, s.error_code AS stage_code
         FROM agent_executions e JOIN stages s USING (stage_id) WHERE e.session_id = $1`,
        [id],
      ),
    ).to.deep.equal([
      {
        status: "failed",
        error_message: "no",
        error_code: "x",
        tokens: 12,
        seq: 4,
        duration_ms: 0,
        at_once: true,
        stage: "failed",
        stage_code: "x",
      },
    ]);
    expect((await executor.events(id)).length).to.equal(4);
  });

  it("leaves no trace of steps of which one is refused by the database", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const twice = [mark(session, "one"), mark(session, "two")];
    const error: unknown = await commitStep(session, twice).catch((thrown: unknown) => thrown);
    expect(error).to.be.an("error").with.property("code", "23505");
    expect(session.signals.cancelled.aborted).to.equal(false);
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
  });

  it("reads the session's state again once another writer has raised its inbox", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const before = await session.memory.state();
    await commit(session, "first");
    expect((await session.memory.state()).stages).to.have.length(before.stages.length + 1);
    const { generation } = session.memory;
    await executor.query("UPDATE session_runtime SET inbox_seq = inbox_seq + 1 WHERE session_id = $1", [id]);
    await commitStep(session, [{ rows: {}, events: [] }]);
    expect(session.memory.generation).to.be.greaterThan(generation);
    expect(await session.memory.state()).to.include({ inboxSeq: 1 });
    await commitStep(session, [{ rows: {}, events: [] }]);
    expect(session.memory.generation).to.equal(generation + 1);
  });

  it("keeps the event numbers of a session contiguous with twenty concurrent writers", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const asSystem = async () =>
      executor.db.transaction(async (manager) => appendEvents(manager, id, [event(id)]));
    const asOwner = async () => commitStep(session, [{ rows: {}, events: [event(id), event(id)] }]);
    await Promise.all(Array.from({ length: 20 }, async (_, n) => (n % 2 === 0 ? asSystem() : asOwner())));
    const rows = await executor.query("SELECT seq FROM events WHERE session_id = $1 ORDER BY id", [id]);
    expect(rows).to.deep.equal(Array.from({ length: 31 }, (_, n) => ({ seq: n + 1 })));
    expect(await executor.row("session_runtime", "last_seq", id)).to.deep.equal({ last_seq: 31 });
  });
});
