import { randomUUID } from "node:crypto";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { EXECUTOR_DEAD_MS, LEASE_MS, RESTART_EXCUSES_MS } from "#shared/contracts/durations.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_ATTEMPTS } from "./persist/release-session.ts";
import { claimFreeSession } from "./claim-free-session.ts";
import {
  CLAIM_COLUMNS,
  CLAIM_PARKING,
  CLAIM_SOURCE,
  ClaimRow,
  EXTEND_DEADLINES,
  MOVE_TIMES,
  claimed,
  clearCancel,
  resumedEvent,
  startedEvent,
  takenOverEvent,
  type ClaimOutcome,
} from "./session-claim.ts";
import type { Database } from "#shared/database/database.ts";

const parseRow = compileParser("claim row", ClaimRow);

/** `seen_at` of an executor that is alive is at most a few renewals old. */
const LOCK = `
SELECT ${CLAIM_COLUMNS},
       (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 AS postgres_up_ms,
       EXISTS (SELECT 1 FROM executors other
               WHERE other.pod_id <> r.lease_owner AND other.stopped_at IS NULL
                 AND other.seen_at < clock_timestamp() - make_interval(secs => ${EXECUTOR_DEAD_MS / 1_000})
                 AND abs(extract(epoch FROM other.seen_at - r.lease_expires_at) + ${LEASE_MS / 1_000})
                     < ${RESTART_EXCUSES_MS / 1_000}) AS others_died
${CLAIM_SOURCE} FOR NO KEY UPDATE OF s, r`;

const CLAIM_RUNTIME = `
UPDATE session_runtime r SET lease_owner = $2, lease_epoch = lease_epoch + 1, last_step = $7, ${CLAIM_PARKING},
    attempts = $3, not_before = NULL, ${clearCancel("$6::boolean")},
    place_id = CASE WHEN NOT $6::boolean THEN $5::uuid END,
  waiting_for = NULL, waiting_since = NULL, paused_ms = paused_ms + $4::bigint,
  lease_expires_at = now() + make_interval(secs => ${LEASE_MS / 1_000}), last_interaction_at = now()
WHERE session_id = $1`;

const START_SESSION = `
UPDATE alert_sessions SET pod_id = $2, started_at = coalesce(started_at, now()),
  status = CASE WHEN status = 'pending' THEN 'in_progress' ELSE status END
WHERE session_id = $1`;

const MOVE_AGENT_TIMES = `
WITH found AS (SELECT $1::uuid AS session_id, $2::int AS parked_ms)
${MOVE_TIMES}`;

const PAUSE_FOLLOW_UPS = `
WITH found AS (SELECT $1::uuid AS session_id, $2::float8 AS pause_ms)
${EXTEND_DEADLINES}
FROM found WHERE f.session_id = found.session_id AND f.status IN ('pending', 'active')`;

/**
 * Defers a session that keeps losing its owner; clears the expired lease, so that it counts once. The owner stays: the claim that
 * follows sees that it was lost, not released.
 */
const DEFER = `
UPDATE session_runtime SET attempts = $2, lease_expires_at = NULL,
  not_before = now() + make_interval(secs => $3::float8)
WHERE session_id = $1`;

/** The state of the servers as the claiming executor knows it. */
interface ServerNews {
  /** Milliseconds since the executor last connected to NATS anew; Infinity if it never did. */
  readonly natsUpMs: number;
  /** False: a restart of Postgres excuses nothing; for tests, whose Postgres has always just started. */
  readonly postgresCounts?: boolean;
  /** The session whose wake-up is the place; by default the claimed one itself. */
  readonly place?: string;
}

/** Claims a session for `podId` if its row allows, raising the epoch that fences every earlier owner. */
export async function claimSession(
  db: Database,
  sessionId: string,
  podId: string,
  news: ServerNews = { natsUpMs: Infinity },
): Promise<ClaimOutcome> {
  return (
    (await claimFreeSession(db, sessionId, podId, news.place ?? sessionId)) ??
    claimByRow(db, sessionId, podId, news)
  );
}

async function claimByRow(
  db: Database,
  sessionId: string,
  podId: string,
  news: ServerNews,
): Promise<ClaimOutcome> {
  return db.transaction(async (transaction) => {
    const [row] = await selectRows(transaction, parseRow, LOCK, [sessionId]);
    if (row === undefined) return { kind: "over" };
    const decision = decideClaim(row, news);
    if (decision.kind === "defer") {
      await transaction.query(DEFER, [sessionId, decision.attempts, decision.delaySeconds]);
      return { kind: "waiting" };
    }
    if (decision.kind !== "claim") return decision;
    const { attempts } = decision;
    const { is_followed_up: isFollowUp, pause_ms } = row;
    if (!isFollowUp) await transaction.query(START_SESSION, [sessionId, podId]);
    else if (pause_ms > 0) await transaction.query(PAUSE_FOLLOW_UPS, [sessionId, pause_ms]);
    if (row.parked_ms !== null) await transaction.query(MOVE_AGENT_TIMES, [sessionId, row.parked_ms]);
    const step = randomUUID();
    await transaction.query(CLAIM_RUNTIME, [
      sessionId,
      podId,
      attempts,
      Math.round(pause_ms),
      news.place ?? sessionId,
      isFollowUp,
      step,
    ]);
    // Also after a wait, so that clients see that it is over.
    const isWaitOver = row.status === "in_progress" && row.waiting_for !== null;
    const isParked = row.status === "in_progress" && row.parked_ms !== null;
    const payloads: UnstampedPayload[] = [];
    if (isParked) payloads.push(resumedEvent(sessionId, Math.max(0, row.parked_ms ?? 0)));
    else if (row.status === "pending" || isWaitOver) payloads.push(startedEvent(sessionId));
    if (row.has_owner) payloads.push(takenOverEvent(sessionId, row));
    const events = await appendEvents(transaction, sessionId, payloads);
    return claimed(sessionId, row, { step, attempts, events });
  });
}

type ClaimDecision =
  | Exclude<ClaimOutcome, { kind: "claimed" }>
  | { readonly kind: "claim"; readonly attempts: number }
  | { readonly kind: "defer"; readonly attempts: number; readonly delaySeconds: number };

/**
 * Decides by the row alone. An expired lease, unlike a released one, counts as an attempt, unless its owner died with
 * others; from the second attempt on the session is deferred by 1 s, doubled with each attempt and jittered. After too
 * many attempts it is claimed to be ended.
 */
export function decideClaim(
  row: ClaimRow,
  news: ServerNews,
  random: () => number = Math.random,
): ClaimDecision {
  if (row.deleted || (isTerminal(row.status) && !row.is_followed_up)) return { kind: "over" };
  if (row.lease_ms !== null && row.lease_ms > 0) return { kind: "leased", forMs: row.lease_ms };
  if (row.deferred && row.status !== "cancelling") return { kind: "waiting" };
  if (row.lease_ms === null || diedWithOthers(row, row.lease_ms, news)) {
    return { kind: "claim", attempts: row.attempts };
  }
  const attempts = row.attempts + 1;
  if (attempts === 1 || attempts >= MAX_ATTEMPTS) return { kind: "claim", attempts };
  return { kind: "defer", attempts, delaySeconds: 2 ** (attempts - 2) * (0.5 + random()) };
}

/**
 * True if the owner of an expired lease may have died for a reason that is not the session's: Postgres or NATS was
 * restarted, or another executor died, within 20 s of the last renewal. A server that was restarted later may have been
 * away since.
 */
function diedWithOthers(
  row: ClaimRow,
  leaseMs: number,
  { natsUpMs, postgresCounts = true }: ServerNews,
): boolean {
  const renewedMsAgo = LEASE_MS - leaseMs;
  const within = renewedMsAgo + RESTART_EXCUSES_MS;
  const isPostgresNew = postgresCounts && row.postgres_up_ms < within;
  return row.others_died || isPostgresNew || natsUpMs < within;
}
