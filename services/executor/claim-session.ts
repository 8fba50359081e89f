import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_ATTEMPTS, RESTART_EXCUSES_SECONDS } from "./persist/release-session.ts";
import { LEASE_SECONDS } from "./session-lease.ts";
import type { Database } from "#shared/database/database.ts";

/** An executor that was not seen for this long is dead: three renewals. */
const DEAD_AFTER_SECONDS = 15;

/** A claimed session, with what its owner needs at the start. */
export interface SessionClaim {
  readonly sessionId: string;
  /** Carried by every write of this owner. */
  readonly epoch: number;
  /** Takeovers or failed runs since the last completed step. */
  readonly attempts: number;
  /** Runs that ended because a dependency failed, since the last completed step. */
  readonly interruptions: number;
  /** What the session has just waited for. */
  readonly waitedFor: WaitingFor | null;
  /** The database's time at the claim, in milliseconds since the epoch. */
  readonly databaseTimeMs: number;
  /** The session's total time, for the timeout message. */
  readonly sessionTimeoutMs: number;
  /** Milliseconds until the session's deadline, by the database's clock; zero or negative once it has passed. */
  readonly deadlineInMs: number;
  /** Committed by the claim and not published yet. */
  readonly events: readonly SessionEvent[];
}

/** The result of trying to claim a session. */
export type ClaimOutcome =
  | ({ readonly kind: "claimed" } & SessionClaim)
  /** The session is terminal or gone: acknowledge. */
  | { readonly kind: "over" }
  /** Another executor's lease is live for `forMs` milliseconds: retry then. */
  | { readonly kind: "leased"; readonly forMs: number }
  /** Deferred until the time in its row: acknowledge; the sweeper dispatches it again. */
  | { readonly kind: "waiting" };

const ClaimRow = Type.Object({
  status: literals(SESSION_STATUSES),
  deleted: Type.Boolean(),
  lease_epoch: Type.Integer(),
  /** Milliseconds until the lease expires; negative after expiry, null if there is no lease. */
  lease_ms: Type.Union([Type.Number(), Type.Null()]),
  attempts: Type.Integer(),
  interruptions: Type.Integer(),
  /** True before the time in `not_before`. */
  deferred: Type.Boolean(),
  waiting_for: Type.Union([WaitingFor, Type.Null()]),
  /** How long the wait that is over has paused the session's time, in milliseconds. */
  pause_ms: Type.Number(),
  timeout_ms: Type.Number(),
  /** Milliseconds since the first start without pauses; 0 before it. */
  elapsed_ms: Type.Number(),
  database_time_ms: Type.Number(),
  postgres_up_ms: Type.Number(),
  /** Another executor died at about the time when the lease was last renewed. */
  others_died: Type.Boolean(),
});
export type ClaimRow = Static<typeof ClaimRow>;
const parseRow = compileParser("claim row", ClaimRow);

/** `seen_at` of an executor that is alive is at most a few renewals old. */
const COLUMNS = `
       s.session_id, s.status, s.deleted_at IS NOT NULL AS deleted, r.lease_epoch, r.attempts, r.interruptions,
       (extract(epoch FROM r.lease_expires_at - clock_timestamp()) * 1000)::float8 AS lease_ms,
       coalesce(r.not_before > clock_timestamp(), false) AS deferred,
       r.waiting_for, paused.pause_ms,
       coalesce((s.resolved_config->>'session_timeout_ms')::float8, 900000) AS timeout_ms,
       (extract(epoch FROM clock_timestamp() - coalesce(s.started_at, clock_timestamp())) * 1000)::float8
         - r.paused_ms - paused.pause_ms AS elapsed_ms,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS database_time_ms`;

const SOURCE = `
FROM alert_sessions s JOIN session_runtime r USING (session_id),
     LATERAL (SELECT CASE WHEN (r.waiting_for->>'pauses_deadline')::boolean
                THEN (extract(epoch FROM clock_timestamp() - r.waiting_since) * 1000)::float8 ELSE 0 END AS pause_ms) AS paused
WHERE s.session_id = $1`;

const LOCK = `
SELECT ${COLUMNS},
       (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 AS postgres_up_ms,
       EXISTS (SELECT 1 FROM executors other
               WHERE other.pod_id <> r.lease_owner AND other.stopped_at IS NULL
                 AND other.seen_at < clock_timestamp() - make_interval(secs => ${DEAD_AFTER_SECONDS})
                 AND abs(extract(epoch FROM other.seen_at - r.lease_expires_at) + ${LEASE_SECONDS})
                     < ${RESTART_EXCUSES_SECONDS}) AS others_died
${SOURCE} FOR NO KEY UPDATE OF s, r`;

/**
 * Claims a session that nobody owns and that does not wait, in one statement; nothing for any other. Its event, if it starts
 * or goes on after a wait, is numbered and stamped under the row's lock.
 */
const CLAIM_FREE = `
WITH found AS MATERIALIZED (
  SELECT ${COLUMNS} ${SOURCE}
    AND s.deleted_at IS NULL AND s.status IN ('pending', 'in_progress', 'cancelling') AND r.lease_expires_at IS NULL
    AND (s.status = 'cancelling' OR r.not_before IS NULL OR r.not_before <= clock_timestamp())
  FOR NO KEY UPDATE OF s, r
), started AS (
  UPDATE alert_sessions s SET pod_id = $2, started_at = coalesce(s.started_at, now()),
    status = CASE WHEN s.status = 'pending' THEN 'in_progress' ELSE s.status END
  FROM found WHERE s.session_id = found.session_id
), claim AS (
  UPDATE session_runtime r SET lease_owner = $2, lease_epoch = r.lease_epoch + 1, not_before = NULL,
    waiting_for = NULL, waiting_since = NULL, paused_ms = r.paused_ms + found.pause_ms::bigint,
    lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), last_interaction_at = now(),
    last_seq = r.last_seq + CASE WHEN found.status = 'pending' OR (found.status = 'in_progress' AND found.waiting_for IS NOT NULL)
                            THEN 1 ELSE 0 END
  FROM found WHERE r.session_id = found.session_id
  RETURNING r.session_id, r.last_seq,
            to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS stamp
), event AS (
  INSERT INTO events (session_id, seq, payload)
  SELECT claim.session_id, claim.last_seq, jsonb_build_object('type', 'session.status', 'session_id', claim.session_id,
                                                              'status', 'in_progress', 'timestamp', claim.stamp)
  FROM claim JOIN found USING (session_id)
  WHERE found.status = 'pending' OR (found.status = 'in_progress' AND found.waiting_for IS NOT NULL)
  RETURNING id, seq
)
SELECT found.lease_epoch, found.attempts, found.interruptions, found.waiting_for, found.timeout_ms, found.elapsed_ms,
       found.database_time_ms, claim.stamp, event.id AS event_id, event.seq
FROM found JOIN claim USING (session_id) LEFT JOIN event ON true`;

const parseFree = compileParser(
  "claimed session",
  Type.Object({
    ...Type.Pick(ClaimRow, [
      "lease_epoch",
      "attempts",
      "interruptions",
      "waiting_for",
      "timeout_ms",
      "elapsed_ms",
      "database_time_ms",
    ]).properties,
    stamp: Type.String(),
    event_id: Type.Union([Type.Integer(), Type.Null()]),
    seq: Type.Union([Type.Integer(), Type.Null()]),
  }),
);

const CLAIM_RUNTIME = `
UPDATE session_runtime SET lease_owner = $2, lease_epoch = lease_epoch + 1, attempts = $3, not_before = NULL,
  waiting_for = NULL, waiting_since = NULL, paused_ms = paused_ms + $4::bigint,
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

/** What the claiming executor knows of the servers. */
interface ServerNews {
  /** Milliseconds since the executor last connected to NATS anew; Infinity if it never did. */
  readonly natsUpMs: number;
  /** False: a restart of Postgres excuses nothing; for tests, whose Postgres has always just started. */
  readonly postgresCounts?: boolean;
}

/** Claims a session for `podId` if its row allows, raising the epoch that fences every earlier owner. */
export async function claimSession(
  db: Database,
  sessionId: string,
  podId: string,
  news: ServerNews = { natsUpMs: Infinity },
): Promise<ClaimOutcome> {
  return (await claimFree(db, sessionId, podId)) ?? claimByRow(db, sessionId, podId, news);
}

async function claimFree(db: Database, sessionId: string, podId: string): Promise<ClaimOutcome | undefined> {
  const [row] = await selectRows(db, parseFree, CLAIM_FREE, [sessionId, podId]);
  if (row === undefined) return undefined;
  const { attempts, event_id, seq, stamp: timestamp } = row;
  const payload = { ...startedEvent(sessionId), timestamp };
  const events =
    event_id === null || seq === null ? [] : [{ session_id: sessionId, seq, db_event_id: event_id, payload }];
  return claimed(sessionId, row, { attempts, events });
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
    await transaction.query(START_SESSION, [sessionId, podId]);
    await transaction.query(CLAIM_RUNTIME, [sessionId, podId, attempts, Math.round(row.pause_ms)]);
    // Also after a wait, so that clients see that it is over.
    const isResumed = row.status === "in_progress" && row.waiting_for !== null;
    const payloads = row.status === "pending" || isResumed ? [startedEvent(sessionId)] : [];
    const events = await appendEvents(transaction, sessionId, payloads);
    return claimed(sessionId, row, { attempts, events });
  });
}

function startedEvent(session_id: string) {
  return { type: "session.status", session_id, status: "in_progress" } as const;
}

function claimed(
  sessionId: string,
  row: Pick<
    ClaimRow,
    "lease_epoch" | "interruptions" | "waiting_for" | "timeout_ms" | "elapsed_ms" | "database_time_ms"
  >,
  { attempts, events }: Pick<SessionClaim, "attempts" | "events">,
): ClaimOutcome {
  return {
    kind: "claimed",
    sessionId,
    epoch: row.lease_epoch + 1,
    attempts,
    interruptions: row.interruptions,
    waitedFor: row.waiting_for,
    databaseTimeMs: row.database_time_ms,
    sessionTimeoutMs: row.timeout_ms,
    deadlineInMs: row.timeout_ms - row.elapsed_ms,
    events,
  };
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
  if (row.deleted || isTerminal(row.status)) return { kind: "over" };
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
  const renewedMsAgo = LEASE_SECONDS * 1_000 - leaseMs;
  const within = renewedMsAgo + RESTART_EXCUSES_SECONDS * 1_000;
  const isPostgresNew = postgresCounts && row.postgres_up_ms < within;
  return row.others_died || isPostgresNew || natsUpMs < within;
}
