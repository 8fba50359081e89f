import { expect } from "chai";
import { SELF_FENCE_MS } from "#shared/contracts/durations.ts";
import type { CancelledError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { keepLeases, type LeaseTimes } from "../session-lease.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

const QUICK: LeaseTimes = { renewEveryMs: 50, selfFenceMs: 60_000 };

describe("keepLeases", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start({ ownServers: true });
  });
  after(() => executor[Symbol.asyncDispose]());

  /** A claimed session whose lease is renewed; `stopped` collects the reasons it was stopped for. */
  const hold = async (times = QUICK) => {
    const id = await executor.insert();
    const { epoch } = await executor.claim(id);
    const leases = keepLeases({ db: executor.db, podId: "pod", slots: 5, log: executor.deps.log }, times);
    const stopped: CancelledError[] = [];
    const noticed: number[] = [];
    leases.hold({
      sessionId: id,
      epoch,
      stop: (reason) => stopped.push(reason),
      cancel: () => undefined,
      noticeInbox: (seq) => noticed.push(seq),
    });
    return { id, epoch, leases, stopped, noticed };
  };
  const leaseOf = async (id: string) =>
    executor.row("session_runtime", `lease_expires_at > now() + interval '${SELF_FENCE_MS} ms' AS fresh`, id);
  const age = async (id: string) =>
    executor.query(
      "UPDATE session_runtime SET lease_expires_at = now() + interval '1 s' WHERE session_id = $1",
      [id],
    );
  const isFresh = async (id: string) => JSON.stringify(await leaseOf(id)) === '{"fresh":true}';

  it("renews only the leases it holds", async () => {
    const { id, leases, stopped } = await hold();
    await using _ = leases;
    const other = await executor.insert();
    await executor.claim(other);
    await age(id);
    await age(other);
    await until("the lease is renewed", async () => isFresh(id));
    expect(await isFresh(other)).to.equal(false);
    expect(stopped).to.deep.equal([]);
    expect(leases.find(id)).to.include({ sessionId: id, epoch: 1 });
    // That of another claim of the session.
    leases.forget(id, 2);
    expect(leases.find(id)).to.include({ epoch: 1 });
    leases.forget(id, 1);
    expect(leases.find(id)).to.equal(undefined);
  });

  it("tells how far the session's inbox is", async () => {
    const { id, leases, noticed } = await hold();
    await using _ = leases;
    await executor.query("UPDATE session_runtime SET inbox_seq = 7 WHERE session_id = $1", [id]);
    await until("the entry is noticed", () => noticed.at(-1) === 7);
  });

  it("stops a session that another executor took over, and does not touch the new lease", async () => {
    const { id, leases, stopped } = await hold();
    await using _ = leases;
    // In one statement: a renewal in between would make the old lease fresh again.
    await executor.query(
      `UPDATE session_runtime SET lease_epoch = lease_epoch + 1, lease_expires_at = now() - interval '1 s'
       WHERE session_id = $1`,
      [id],
    );
    const reason = await until("the loss is noticed", () => stopped[0]);
    expect(reason).to.include({ reason: "lease_lost", message: "another executor took the session over" });
    expect(await isFresh(id)).to.equal(false);
  });

  it("stops a session whose lease was released", async () => {
    const { id, leases, stopped } = await hold();
    await using _ = leases;
    await executor.query("UPDATE session_runtime SET lease_expires_at = NULL WHERE session_id = $1", [id]);
    expect(await until("the loss is noticed", () => stopped[0])).to.include({ reason: "lease_lost" });
  });

  it("finds a cancel whose message was lost", async () => {
    const { id, leases, stopped } = await hold();
    await using _ = leases;
    await executor.cancel(id);
    expect(await until("the cancel is found", () => stopped[0])).to.include({ reason: "user" });
    await age(id);
    await until("it still renews, so that the session can be closed", async () => isFresh(id));
  });

  it("stops a session by itself when the database does not answer", async () => {
    const { stopped, leases } = await hold({ renewEveryMs: 50, selfFenceMs: 300 });
    await using _ = leases;
    const healthy = await hold({ renewEveryMs: 50, selfFenceMs: 3_600_000 });
    await executor.servers.stopPostgres();
    const reason = await until("it fences itself", () => stopped[0]);
    expect(reason).to.include({
      reason: "lease_lost",
      message: "the lease could not be renewed for 0.3 s",
    });
    expect(healthy.stopped).to.deep.equal([]);
    await executor.servers.restartPostgres();
    await until("the other one is renewed again", async () => {
      await age(healthy.id);
      return until("renewed", async () => isFresh(healthy.id), 1_000);
    });
    await healthy.leases[Symbol.asyncDispose]();
  });
});
