import { randomUUID } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { LEASE_MS, RENEW_EVERY_MS, SELF_FENCE_MS } from "#shared/contracts/durations.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError, cancelledByUser, errorMessage, leaseLost } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { Database } from "#shared/database/database.ts";

/** The lease of an owned session. `stop` cancels the session's work with the given reason. */
interface HeldLease {
  readonly sessionId: string;
  readonly epoch: number;
  readonly stop: (reason: CancelledError) => void;
  /** Called when something of it was cancelled: the session, or after its end one of its follow-ups. */
  readonly cancel: () => void;
  /** Called with the newest entry of the session's inbox at each renewal. */
  readonly noticeInbox: (inboxSeq: number) => void;
}

export interface LeaseKeeper extends AsyncDisposable {
  /** Renews the lease until `forget`. It must have been claimed just before. */
  hold(lease: HeldLease): void;
  /** A later claim of the session in this process keeps its lease. */
  forget(sessionId: string, epoch: number): void;
  /** Undefined also for a lease that was lost. */
  find(sessionId: string): HeldLease | undefined;
}

const parseRenewed = compileParser(
  "renewed lease",
  Type.Object({ session_id: Type.String(), cancelled: Type.Boolean(), inbox_seq: Type.Integer() }),
);

/** Renews all leases, and shows that this executor is alive: a death is judged by who died with it. */
const RENEW = `
WITH alive AS (
  INSERT INTO executors (executor_id, pod_id, slots) VALUES ($3, $4, $5)
  ON CONFLICT (executor_id) DO UPDATE SET seen_at = now()
), renewed AS (
  UPDATE session_runtime r
  SET lease_expires_at = now() + make_interval(secs => ${LEASE_MS / 1_000}), last_interaction_at = now()
  FROM unnest($1::uuid[], $2::int[]) AS held(session_id, epoch)
  WHERE r.session_id = held.session_id AND r.lease_epoch = held.epoch AND r.lease_expires_at IS NOT NULL
  RETURNING r.session_id, r.cancel_requested_at IS NOT NULL AS cancelled, r.inbox_seq
)
SELECT session_id, cancelled, inbox_seq FROM renewed`;

const STOP = `
WITH forgotten AS (DELETE FROM executors WHERE seen_at < now() - interval '1 day')
UPDATE executors SET stopped_at = now() WHERE executor_id = $1`;

/** Milliseconds between renewals, and without one before the sessions stop. */
export interface LeaseTimes {
  readonly renewEveryMs: number;
  readonly selfFenceMs: number;
}

export const LEASE_TIMES: LeaseTimes = { renewEveryMs: RENEW_EVERY_MS, selfFenceMs: SELF_FENCE_MS };

/**
 * Renews all held leases in one statement every 5 s, which also keeps this process' row in `executors` up to date. A
 * lease that the statement does not renew has been taken over; it also reports cancels that the bus lost. If the database
 * does not answer for 15 s, every session stops.
 */
export function keepLeases(
  {
    db,
    podId,
    slots,
    log,
  }: {
    readonly db: Database;
    readonly podId: string;
    /** The sessions that this executor runs concurrently, for those who count places. */
    readonly slots: number;
    readonly log: Logger;
  },
  { renewEveryMs, selfFenceMs }: LeaseTimes = LEASE_TIMES,
): LeaseKeeper {
  const executorId = randomUUID();
  const held = new Map<string, HeldLease & { renewedAt: number }>();
  let renewing: Promise<void> | undefined;

  const renew = async () => {
    const leases = [...held.values()];
    const startedAt = performance.now();
    const rows = await selectRows(db, parseRenewed, RENEW, [
      leases.map((lease) => lease.sessionId),
      leases.map((lease) => lease.epoch),
      executorId,
      podId,
      slots,
    ]);
    const renewed = new Map(rows.map((row) => [row.session_id, row]));
    for (const lease of leases) {
      if (held.get(lease.sessionId) !== lease) continue; // ended or claimed again in the meantime
      const row = renewed.get(lease.sessionId);
      if (row === undefined) {
        held.delete(lease.sessionId);
        lease.stop(leaseLost());
      } else {
        lease.renewedAt = startedAt;
        if (row.cancelled) lease.stop(cancelledByUser());
        lease.noticeInbox(row.inbox_seq);
      }
    }
  };

  const selfFence = () => {
    for (const lease of held.values()) {
      if (performance.now() - lease.renewedAt > selfFenceMs) {
        const message = `the lease could not be renewed for ${selfFenceMs / 1_000} s`;
        held.delete(lease.sessionId);
        lease.stop(new CancelledError("lease_lost", message));
      }
    }
  };

  const renewOnce = () => {
    renewing ??= renew()
      .catch((error: unknown) => log.warn({ error: errorMessage(error) }, "leases not renewed"))
      .finally(() => (renewing = undefined));
  };
  renewOnce();
  const timer = setInterval(() => {
    selfFence();
    renewOnce();
  }, renewEveryMs);
  const fenceTimer = setInterval(selfFence, selfFenceMs / 15);

  return {
    hold: (lease) => void held.set(lease.sessionId, { ...lease, renewedAt: performance.now() }),
    forget: (sessionId, epoch) => {
      if (held.get(sessionId)?.epoch === epoch) held.delete(sessionId);
    },
    find: (sessionId) => held.get(sessionId),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      clearInterval(fenceTimer);
      await renewing;
      await db
        .query(STOP, [executorId])
        .catch((error: unknown) => log.warn({ error: errorMessage(error) }, "stop not recorded"));
    },
  };
}
