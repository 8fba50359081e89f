import { expect } from "chai";
import { LEASE_MS, RESTART_EXCUSES_MS } from "#shared/contracts/durations.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { claimSession, decideClaim } from "../claim-session.ts";
import type { ClaimRow } from "../session-claim.ts";
import { releaseSession } from "../persist/release-session.ts";
import { loadSession, sessionState } from "../state/session-state.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

const FREE: ClaimRow = {
  status: "pending",
  deleted: false,
  is_followed_up: false,
  lease_epoch: 0,
  has_owner: false,
  silent_ms: 0,
  lease_ms: null,
  attempts: 0,
  interruptions: 0,
  deferred: false,
  waiting_for: null,
  pause_ms: 0,
  parked_ms: null,
  is_asked_to_park: false,
  inbox_seq: 0,
  timeout_ms: 900_000,
  elapsed_ms: 0,
  database_time_ms: 0,
  age_ms: 0,
  trace_context: null,
  chain_id: "test-chain",
  teams: [],
  budgets: null,
  tool_source: "live",
  postgres_up_ms: 3_600_000,
  others_died: false,
};
const NO_NEWS = { natsUpMs: Infinity };

describe("decideClaim", () => {
  const decide = (row: Partial<ClaimRow>) => decideClaim({ ...FREE, ...row }, NO_NEWS, () => 0.5);

  it("claims an unowned session in any unfinished status, without counting an attempt", () => {
    for (const status of ["pending", "in_progress", "cancelling"] as const) {
      expect(decide({ status, attempts: 3 })).to.deep.equal({ kind: "claim", attempts: 3 });
    }
  });

  it("does not claim a finished or deleted session", () => {
    for (const status of ["completed", "failed", "cancelled", "timed_out"] as const) {
      expect(decide({ status })).to.deep.equal({ kind: "over" });
    }
    expect(decide({ deleted: true, lease_ms: 5 })).to.deep.equal({ kind: "over" });
  });

  it("waits for a valid lease and for a deferred session", () => {
    expect(decide({ lease_ms: 4_000, deferred: true })).to.deep.equal({ kind: "leased", forMs: 4_000 });
    expect(decide({ deferred: true, attempts: 9 })).to.deep.equal({ kind: "waiting" });
  });

  it("does not let a cancelling session wait", () => {
    expect(decide({ status: "cancelling", deferred: true })).to.deep.equal({ kind: "claim", attempts: 0 });
  });

  it("counts an expired lease as an attempt: the first is claimed immediately, each later one is deferred twice as long", () => {
    const next = [0, 1, 2, 3, 4].map((attempts) => decide({ lease_ms: -1, attempts }));
    expect(next).to.deep.equal([
      { kind: "claim", attempts: 1 },
      { kind: "defer", attempts: 2, delaySeconds: 1 },
      { kind: "defer", attempts: 3, delaySeconds: 2 },
      { kind: "defer", attempts: 4, delaySeconds: 4 },
      { kind: "claim", attempts: 5 },
    ]);
  });

  it("counts no attempt if the owner died with another executor or when a server was restarted", () => {
    const expired = { ...FREE, lease_ms: -5_000, attempts: 3 };
    const limit = LEASE_MS + 5_000 + RESTART_EXCUSES_MS;
    const [later, earlier] = [limit - 1_000, limit + 1_000];
    const excused = { kind: "claim", attempts: 3 };
    expect(decide({ ...expired, others_died: true })).to.deep.equal(excused);
    // The last renewal was a lease and 5 s ago, so a restart up to `limit` ago was near it or after it.
    expect(decide({ ...expired, postgres_up_ms: later })).to.deep.equal(excused);
    expect(decide({ ...expired, postgres_up_ms: earlier })).to.include({ attempts: 4 });
    expect(decideClaim(expired, { natsUpMs: later })).to.deep.equal(excused);
    expect(decideClaim(expired, { natsUpMs: earlier })).to.include({ attempts: 4 });
  });

  it("jitters the delay by half in both directions", () => {
    const row = { ...FREE, lease_ms: -1, attempts: 1 };
    const delays = [0, 1].map((random) => decideClaim(row, NO_NEWS, () => random));
    expect(delays).to.deep.equal([
      { kind: "defer", attempts: 2, delaySeconds: 0.5 },
      { kind: "defer", attempts: 2, delaySeconds: 1.5 },
    ]);
  });
});

describe("claimSession", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  const runtime = async (id: string) =>
    executor.row("session_runtime", "lease_epoch, lease_owner, attempts, not_before, last_seq", id);

  const storedPayload = async (id: string, seq: number): Promise<unknown> => {
    const [event] = await readEvents(executor.db, id, { afterSeq: seq - 1, limit: 1 });
    return event?.payload;
  };

  it("starts a pending session with epoch 1, a lease and one event", async () => {
    const id = await executor.insert({ sessionTimeoutMs: 60_000 });
    const claim = await executor.claim(id);
    expect(claim).to.include({ epoch: 1, attempts: 0, sessionTimeoutMs: 60_000, deadlineInMs: 60_000 });
    expect(claim.events.map(({ seq }) => seq)).to.deep.equal([1]);
    expect(await executor.events(id)).to.deep.equal([
      { seq: 1, type: "session.status", kind: null, status: "in_progress" },
    ]);
    expect(await runtime(id)).to.deep.equal({
      lease_epoch: 1,
      lease_owner: "test-pod",
      attempts: 0,
      not_before: null,
      last_seq: 1,
    });
    const lease = "round(extract(epoch FROM lease_expires_at - last_interaction_at))::int * 1000 AS ms";
    expect(await executor.row("session_runtime", lease, id)).to.deep.equal({ ms: LEASE_MS });
    expect(
      await executor.row("alert_sessions", "status, pod_id, started_at IS NOT NULL AS started", id),
    ).to.deep.equal({ status: "in_progress", pod_id: "test-pod", started: true });
  });

  it("reads the state of a new session, and leaves that of one that had an owner to be read after the claim", async () => {
    const id = await executor.insert();
    const { state } = await executor.claim(id);
    expect(await sessionState(executor.db, id, state)).to.deep.equal(await loadSession(executor.db, id));
    await executor.expireLease(id);
    expect((await executor.claim(id)).state).to.equal(null);
  });

  it("raises the epoch of a takeover, which counts as an attempt, says so once and keeps the deadline", async () => {
    const id = await executor.insert();
    await executor.claim(id);
    expect(await executor.tryClaim(id)).to.equal("leased");
    await executor.query(
      "UPDATE alert_sessions SET started_at = now() - interval '100 s' WHERE session_id = $1",
      [id],
    );
    await executor.expireLease(id);
    const claim = await executor.claim(id);
    expect(claim).to.include({ epoch: 2, attempts: 1 });
    expect(await runtime(id)).to.include({ lease_epoch: 2 });
    const [event] = claim.events;
    expect(claim.events).to.have.length(1);
    expect(event).to.include({ seq: 2 });
    expect(event?.payload).to.include({ type: "session.taken_over", session_id: id, epoch: 2 });
    expect(await storedPayload(id, 2)).to.deep.equal(event?.payload);
    expect(claim.deadlineInMs).to.be.within(790_000, 800_000);
    expect(await executor.events(id)).to.have.length(2);
  });

  it("defers the session from the second expired lease on, once per lease", async () => {
    const id = await executor.insert();
    await executor.claim(id);
    await executor.expireLease(id);
    await executor.claim(id);
    await executor.expireLease(id);
    expect(await executor.tryClaim(id)).to.equal("waiting");
    expect(await executor.tryClaim(id)).to.equal("waiting");
    expect(await runtime(id)).to.include({ attempts: 2, lease_epoch: 2, last_seq: 2 });
    await executor.query("UPDATE session_runtime SET not_before = now() WHERE session_id = $1", [id]);
    const claim = await executor.claim(id);
    expect(claim).to.include({ epoch: 3, attempts: 2 });
    expect(claim.events.map(({ payload }) => payload)).to.deep.equal([await storedPayload(id, 3)]);
    expect(claim.events[0]?.payload).to.include({ type: "session.taken_over", epoch: 3 });
    expect(await runtime(id)).to.include({ not_before: null });
  });

  describe("when the owner of an expired lease died", () => {
    /** About when the leases of the others were renewed for the last time. */
    const together = LEASE_MS / 1_000 + 2;
    const died = async (pod: string, secondsAgo: number, stopped = false) =>
      executor.query(
        `INSERT INTO executors (executor_id, pod_id, slots, seen_at, stopped_at)
         VALUES (gen_random_uuid(), $1, 5, now() - make_interval(secs => $2), CASE WHEN $3::boolean THEN now() END)`,
        [pod, secondsAgo, stopped],
      );
    const attemptsAfterDeath = async () => {
      const id = await executor.insert();
      await executor.claim(id);
      await executor.expireLease(id);
      return (await executor.claim(id)).attempts;
    };
    afterEach(() => executor.query("DELETE FROM executors", []));

    it("counts no attempt if another one died at that time", async () => {
      await died("other", together);
      expect(await attemptsAfterDeath()).to.equal(0);
    });

    it("counts one if it died alone: others died before, were stopped, or it is its own row", async () => {
      await died("before", 3 * together);
      await died("stopped", together, true);
      await died("test-pod", together);
      await died("alive", 1);
      expect(await attemptsAfterDeath()).to.equal(1);
    });
  });

  it("says how long the owner was silent that was lost", async () => {
    const id = await executor.insert();
    await executor.claim(id);
    await executor.query(
      "UPDATE session_runtime SET lease_expires_at = now() - interval '3 s' WHERE session_id = $1",
      [id],
    );
    const [event] = (await executor.claim(id)).events;
    expect(event?.payload)
      .to.have.property("silent_ms")
      .that.is.within(LEASE_MS + 3_000, LEASE_MS + 40_000);
  });

  it("counts no attempt for a session that its owner gave back, which is no takeover", async () => {
    const id = await executor.insert();
    for (const kind of ["handover", "interrupted"] as const) {
      const { epoch } = await executor.claim(id);
      await releaseSession({ db: executor.db, sessionId: id, epoch }, { kind });
    }
    const claim = await executor.claim(id);
    expect(claim).to.include({ epoch: 3, attempts: 0 });
    expect(claim.events).to.deep.equal([]);
  });

  it("claims a cancelling session without changing its status", async () => {
    const id = await executor.insert();
    await executor.claim(id);
    await executor.cancel(id);
    await executor.expireLease(id);
    await executor.claim(id);
    expect(await executor.row("alert_sessions", "status", id)).to.deep.equal({ status: "cancelling" });
  });

  it("does not claim a terminal, deleted or unknown session", async () => {
    const [ended, deleted] = [await executor.insert(), await executor.insert()];
    await executor.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [ended],
    );
    await executor.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [deleted]);
    for (const id of [ended, deleted, "00000000-0000-4000-8000-000000000000"]) {
      expect(await executor.tryClaim(id)).to.equal("over");
    }
  });

  it("lets exactly one of many executors win", async () => {
    for (let round = 0; round < 5; round++) {
      const id = await executor.insert();
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, async (_, pod) => claimSession(executor.db, id, `pod-${pod}`)),
      );
      const kinds = outcomes.map(({ kind }) => kind).toSorted((a, b) => a.localeCompare(b));
      expect(kinds).to.deep.equal(["claimed", ...Array.from({ length: 7 }, () => "leased")]);
      expect(await runtime(id)).to.include({ lease_epoch: 1, last_seq: 1 });
    }
  });
});
