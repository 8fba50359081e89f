import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { RESTART_EXCUSES_MS } from "#shared/contracts/durations.ts";
import { CancelledError, cancelledByUser } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { releaseSession } from "../persist/release-session.ts";
import { loggedErrors, type Heard } from "./executor-fixture.ts";
import type { GatewayProcess } from "./gateway-process.ts";
import { RunFixture } from "./run-fixture.ts";

/** Rows of the event log. */
const logged = (...events: string[]) => events.map((event) => ({ event }));
/** The attempts of the chunks that a listener has received. */
const attemptsOf = (heard: readonly Heard[]) =>
  heard.flatMap((message) => ("delta" in message ? [message.attempt] : []));
const untilHeard = async (heard: readonly Heard[], isIt: (attempt: number) => boolean) =>
  until("a chunk of the attempt is heard", () => attemptsOf(heard).some(isIt));
/** The same outcome for session, stage and execution. */
const same = (outcome: object) => [outcome, outcome, outcome];

describe("runSession, cancelled or interrupted", () => {
  let fixture: RunFixture<GatewayProcess>;

  before(async () => {
    fixture = await RunFixture.startWithProcess({ ownServers: true });
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("fails a session after too many attempts, without another call", async () => {
    const id = await fixture.executor.insert();
    await fixture.executor.query("UPDATE session_runtime SET attempts = 5 WHERE session_id = $1", [id]);
    await fixture.executor.expireLease(id);
    expect(await fixture.run(id)).to.equal("failed");
    expect(await fixture.executor.row("alert_sessions", "error_code, error_message", id)).to.deep.equal({
      error_code: "poison",
      error_message: "given up after 5 attempts that completed no step",
    });
    expect(await fixture.eventLog(id)).to.deep.equal(
      logged(
        "session.status in_progress",
        "session.status failed",
        "review.status",
        "session.completed failed",
      ),
    );
  });

  it("fails a session after too many interruptions; those near a restart of Postgres do not count", async () => {
    const id = await fixture.executor.insert();
    const interrupt = async () => {
      const { epoch } = await fixture.executor.claim(id);
      await releaseSession({ db: fixture.executor.db, sessionId: id, epoch }, { kind: "interrupted" });
      await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [
        id,
      ]);
    };
    await until("Postgres has run for a while", async () => {
      const [row] = await fixture.executor.query(
        "SELECT 1 WHERE pg_postmaster_start_time() < now() - make_interval(secs => $1::float8)",
        [RESTART_EXCUSES_MS / 1_000 + 1],
      );
      return row !== undefined;
    });
    await interrupt();
    await interrupt();
    expect(await fixture.executor.row("session_runtime", "interruptions, attempts", id)).to.deep.equal({
      interruptions: 2,
      attempts: 0,
    });
    await fixture.executor.query("UPDATE session_runtime SET interruptions = 9 WHERE session_id = $1", [id]);
    await interrupt();
    expect(await fixture.run(id)).to.equal("failed");
    expect(await fixture.executor.row("alert_sessions", "error_code, error_message", id)).to.deep.equal({
      error_code: "poison",
      error_message: "given up after 10 interruptions without a completed step in between",
    });
  });

  it("ends a session and everything open in it at the deadline", async () => {
    await fixture.play({ steps: [{ text: "so far" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const { end } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    fixture.stop(id, "session_deadline");
    expect(await end).to.equal("timed_out");
    expect(await fixture.outcomes(id)).to.deep.equal(
      same({
        status: "timed_out",
        error_code: "session_deadline",
        error_message: "stopped: session_deadline",
      }),
    );
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "final_analysis timed_out", content: "so far" },
    ]);
  });

  it("times out a call at the deadline of the iteration", async () => {
    await fixture.play({ steps: [{ hang: true }] });
    const id = await fixture.executor.insert({ iterationTimeoutMs: 300 });
    expect(await fixture.run(id)).to.equal("timed_out");
    expect(await fixture.outcomes(id)).to.deep.equal(
      same({
        status: "timed_out",
        error_code: "timeout",
        error_message: "LLM call timed out after 0.3 s",
      }),
    );
  });

  it("aborts the call on a cancel and keeps the streamed text", async () => {
    await fixture.play({ steps: [{ text: "so far" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const { end } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    await fixture.executor.cancel(id);
    fixture.executor.deps.leases.find(id)?.stop(cancelledByUser());
    expect(await end).to.equal("cancelled");
    expect(await fixture.outcomes(id)).to.deep.equal(
      same({ status: "cancelled", error_code: "user", error_message: "cancelled by the user" }),
    );
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "final_analysis cancelled", content: "so far" },
    ]);
  });

  it("finds a cancel without a message at the next write, even with a complete answer", async () => {
    await fixture.play({ steps: [{ text: "so" }, { delay: "3s" }, { text: " far" }] });
    const id = await fixture.executor.insert();
    const { end } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    fixture.gateway.freeze();
    await fixture.executor.cancel(id);
    fixture.gateway.thaw();
    expect(await end).to.equal("cancelled");
    expect(await fixture.executor.row("alert_sessions", "status, final_analysis", id)).to.deep.equal({
      status: "cancelled",
      final_analysis: null,
    });
  });

  it("ends a cancelling session as cancelled, despite a deadline, too many attempts or a failure", async () => {
    const late = await fixture.executor.insert({ sessionTimeoutMs: 1 });
    const poisoned = await fixture.executor.insert();
    const unsupported = await fixture.executor.insert({ strategy: "react" });
    for (const id of [late, poisoned, unsupported]) {
      await fixture.executor.query(
        "UPDATE alert_sessions SET started_at = now() - interval '1 s', status = 'in_progress' WHERE session_id = $1",
        [id],
      );
      await fixture.executor.cancel(id);
    }
    await fixture.executor.query("UPDATE session_runtime SET attempts = 5 WHERE session_id = $1", [poisoned]);
    await fixture.executor.expireLease(poisoned);
    for (const id of [late, poisoned, unsupported]) {
      expect(await fixture.run(id)).to.equal("cancelled");
      expect(await fixture.executor.row("alert_sessions", "status, error_code", id)).to.deep.equal({
        status: "cancelled",
        error_code: "user",
      });
    }
  });

  it("repeats a call when the gateway dies, and discards the text of the first try", async () => {
    await fixture.play({ steps: [{ thinking: "first thoughts" }, { text: "half" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const heard = await fixture.executor.listen(id);
    const { end } = await fixture.begin(id);
    await fixture.openRows(id, 2);
    await untilHeard(heard, (attempt) => attempt === 1);
    const before = await fixture.timelineKeys(id);
    await fixture.play({ steps: [{ text: "the whole answer" }] });
    await fixture.gateway.kill();
    await fixture.gateway.start();
    expect(await end).to.equal("completed");
    expect(await fixture.timelineKeys(id)).to.deep.equal(before);
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "llm_thinking cancelled", content: "" },
      { row: "final_analysis completed", content: "the whole answer" },
    ]);
    await untilHeard(heard, (attempt) => attempt === 2);
    expect(new Set(attemptsOf(heard))).to.deep.equal(new Set([1, 2]));
    expect(
      await fixture.executor.query(
        "SELECT interaction_type, error_message FROM llm_interactions WHERE session_id = $1 ORDER BY created_at",
        [id],
      ),
    ).to.deep.equal([
      { interaction_type: "iteration", error_message: null },
      { interaction_type: "executive_summary", error_message: null },
    ]);
  });

  it("reuses the open rows of a former owner: same ids, same numbers, higher attempt", async () => {
    await fixture.play({ steps: [{ thinking: "first" }, { text: "half" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const heard = await fixture.executor.listen(id);
    const first = await fixture.begin(id);
    await fixture.openRows(id, 2);
    const open = await fixture.timelineKeys(id);
    await fixture.play({ steps: [{ text: "the whole answer" }] });
    // The former owner still lives, and may renew what has expired.
    const second = await until("another owner has claimed it", async () => {
      await fixture.executor.expireLease(id);
      return fixture.begin(id);
    });
    expect(await second.end).to.equal("completed");
    expect(await fixture.timelineKeys(id)).to.deep.equal(open);
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "llm_thinking cancelled", content: "" },
      { row: "final_analysis completed", content: "the whole answer" },
    ]);
    await untilHeard(heard, (attempt) => attempt > 1_000);
    // The former owner loses its lease at its next write and changes nothing.
    first.abort.abort(new CancelledError("shutdown", "the test is over"));
    await first.end;
    expect(await fixture.executor.row("alert_sessions", "status", id)).to.deep.equal({ status: "completed" });
  });

  it("releases a session on a stop, immediately and without an attempt, and the next owner continues", async () => {
    await fixture.play({ steps: [{ text: "half" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const { stop, abort, end } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    stop.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
    abort.abort(stop.signal.reason);
    expect(await end).to.equal("released");
    const free = "attempts, lease_expires_at, lease_owner";
    expect(await fixture.executor.row("session_runtime", free, id)).to.deep.equal({
      attempts: 0,
      lease_expires_at: null,
      lease_owner: null,
    });
    await fixture.play({ steps: [{ text: "whole" }] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "final_analysis completed", content: "whole" },
    ]);
  });

  it("defers a session and counts an attempt when its step fails unexpectedly", async () => {
    const id = await fixture.executor.insert();
    await fixture.executor.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
       VALUES ($1, $2, 'in the way', 7, 1)`,
      [uuidFrom("stage:1", id), id],
    );
    await fixture.executor.query("UPDATE session_runtime SET total_stages = 1 WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("deferred");
    const columns = "attempts, lease_expires_at, not_before > now() AS waits";
    expect(await fixture.executor.row("session_runtime", columns, id)).to.deep.equal({
      attempts: 1,
      lease_expires_at: null,
      waits: true,
    });
    expect(await fixture.executor.tryClaim(id)).to.equal("waiting");
  });

  it("leaves a session to its next owner when the database fails during a call", async () => {
    await fixture.play({ steps: [{ text: "half" }, { hang: true }] });
    const id = await fixture.executor.insert();
    const { end, abort } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    await fixture.executor.servers.stopPostgres();
    abort.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
    expect(await end).to.equal("lost");
    await fixture.executor.servers.restartPostgres();
    await fixture.executor.expireLease(id);
    await fixture.play({ steps: [{ text: "whole" }] });
    expect(
      await until("the executor is connected to the database again", async () => fixture.run(id)),
    ).to.equal("completed");
  });

  it("releases a session whose step the database interrupted, as soon as the database answers again", async () => {
    await fixture.play({ steps: [{ text: "half" }, { delay: "3s" }, { text: "whole" }] });
    const before = loggedErrors.length;
    const id = await fixture.executor.insert();
    const { end } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    // No answer comes before Postgres has stopped.
    fixture.gateway.freeze();
    await fixture.executor.servers.stopPostgres();
    fixture.gateway.thaw();
    const failed = until("the step has failed", () =>
      loggedErrors.slice(before).some((line) => line.includes("session interrupted")),
    );
    expect(await Promise.race([end, failed]), "it waits for the database").to.equal(true);
    await fixture.executor.servers.restartPostgres();
    expect(await end).to.equal("interrupted");
    expect(await fixture.executor.row("session_runtime", "lease_owner, attempts", id)).to.deep.equal({
      lease_owner: null,
      attempts: 0,
    });
  });
});
