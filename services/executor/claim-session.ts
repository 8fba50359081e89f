import { Type, type Static } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { LEASE_SECONDS } from "./session-lease.ts";

/** A claimed session, with what its owner needs at the start. */
export interface SessionClaim {
  readonly sessionId: string;
  /** Carried by every write of this owner. */
  readonly epoch: number;
  /** Takeovers or failed runs since the last completed step. */
  readonly attempts: number;
  /** The session's total time, for the timeout message. */
  readonly sessionTimeoutMs: number;
  /** Milliseconds until the session's deadline, by the database's clock; zero or negative once it has passed. */
  readonly deadlineInMs: number;
  /** Committed by the claim and not published yet. */
  readonly events: readonly SessionEvent[];
}

/** A session that exceeds this number of attempts without a completed step ends as `failed`. */
export const MAX_ATTEMPTS = 5;

/** The result of trying to claim a session. */
export type ClaimOutcome =
  | ({ readonly kind: "claimed" } & SessionClaim)
  /** The session is terminal or gone: acknowledge. */
  | { readonly kind: "over" }
  /** Another executor's lease is live for `forMs` milliseconds: retry then. */
  | { readonly kind: "leased"; readonly forMs: number }
  /** Deferred until the time in its row: acknowledge; the sweeper re-dispatches it. */
  | { readonly kind: "waiting" };

const ClaimRow = Type.Object({
  status: literals(SESSION_STATUSES),
  deleted: Type.Boolean(),
  lease_epoch: Type.Integer(),
  /** Milliseconds until the lease expires; negative after expiry, null if there is no lease. */
  lease_ms: Type.Union([Type.Number(), Type.Null()]),
  attempts: Type.Integer(),
  waiting: Type.Boolean(),
  timeout_ms: Type.Number(),
  /** Milliseconds since the first start; 0 before it. */
  elapsed_ms: Type.Number(),
});
export type ClaimRow = Static<typeof ClaimRow>;
const parseRow = compileParser("claim row", ClaimRow);

const LOCK = `
SELECT s.status, s.deleted_at IS NOT NULL AS deleted, r.lease_epoch, r.attempts,
       (extract(epoch FROM r.lease_expires_at - clock_timestamp()) * 1000)::float8 AS lease_ms,
       coalesce(r.not_before > clock_timestamp(), false) AS waiting,
       coalesce((s.resolved_config->>'session_timeout_ms')::float8, 900000) AS timeout_ms,
       (extract(epoch FROM clock_timestamp() - coalesce(s.started_at, clock_timestamp())) * 1000)::float8 AS elapsed_ms
FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.session_id = $1 FOR NO KEY UPDATE`;

const CLAIM_RUNTIME = `
UPDATE session_runtime SET lease_owner = $2, lease_epoch = lease_epoch + 1, attempts = $3, not_before = NULL,
  lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), last_interaction_at = now()
WHERE session_id = $1`;

const START_SESSION = `
UPDATE alert_sessions SET pod_id = $2, started_at = coalesce(started_at, now()),
  status = CASE WHEN status = 'pending' THEN 'in_progress' ELSE status END
WHERE session_id = $1`;

/** Defers a session that keeps losing its owner; clears the expired lease, so that it counts once. */
const DEFER = `
UPDATE session_runtime SET attempts = $2, lease_expires_at = NULL, lease_owner = NULL,
  not_before = now() + make_interval(secs => $3::float8)
WHERE session_id = $1`;

/** Claims a session for `podId` if its row allows, raising the epoch that fences every earlier owner. */
export async function claimSession(db: DataSource, sessionId: string, podId: string): Promise<ClaimOutcome> {
  return db.transaction(async (manager) => {
    const [row] = await selectRows(manager, parseRow, LOCK, [sessionId]);
    if (row === undefined) return { kind: "over" };
    const decision = decideClaim(row);
    if (decision.kind === "defer") {
      await manager.query(DEFER, [sessionId, decision.attempts, decision.delaySeconds]);
      return { kind: "waiting" };
    }
    if (decision.kind !== "claim") return decision;
    const { attempts } = decision;
    await manager.query(START_SESSION, [sessionId, podId]);
    await manager.query(CLAIM_RUNTIME, [sessionId, podId, attempts]);
    const started = {
      type: "session.status",
      session_id: sessionId,
      status: "in_progress",
    } as const;
    const payloads = row.status === "pending" ? [started] : [];
    // As `system`, not as the owner: only a completed step may reset the attempts.
    const events = (await appendEvents(manager, sessionId, { kind: "system" }, payloads)) ?? [];
    const epoch = row.lease_epoch + 1;
    const deadlineInMs = row.timeout_ms - row.elapsed_ms;
    return {
      kind: "claimed",
      sessionId,
      epoch,
      attempts,
      sessionTimeoutMs: row.timeout_ms,
      deadlineInMs,
      events,
    };
  });
}

type ClaimDecision =
  | Exclude<ClaimOutcome, { kind: "claimed" }>
  | { readonly kind: "claim"; readonly attempts: number }
  | { readonly kind: "defer"; readonly attempts: number; readonly delaySeconds: number };

/**
 * Decides by the row alone. An expired lease, unlike a released one, counts as an attempt; from the second attempt on the
 * session is deferred by 1 s, doubled with each attempt and jittered. After too many attempts it is claimed to be ended.
 */
export function decideClaim(row: ClaimRow, random: () => number = Math.random): ClaimDecision {
  if (row.deleted || isTerminal(row.status)) return { kind: "over" };
  if (row.lease_ms !== null && row.lease_ms > 0) return { kind: "leased", forMs: row.lease_ms };
  if (row.waiting) return { kind: "waiting" };
  if (row.lease_ms === null) return { kind: "claim", attempts: row.attempts };
  const attempts = row.attempts + 1;
  if (attempts === 1 || attempts > MAX_ATTEMPTS) return { kind: "claim", attempts };
  return { kind: "defer", attempts, delaySeconds: 2 ** (attempts - 2) * (0.5 + random()) };
}
