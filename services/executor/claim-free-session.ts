import { isNull } from "#shared/database/connection/statement-limits.ts";
import { randomUUID } from "node:crypto";
import { LEASE_MS } from "#shared/contracts/durations.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { IS_ALONE } from "./read-waiting.ts";
import { LOAD_NEW } from "./state/session-state.ts";
import {
  CLAIMABLE,
  CLAIM_COLUMNS,
  CLAIM_PARKING,
  CLAIM_SOURCE,
  ClaimRow,
  EXTEND_DEADLINES,
  HAS_OWNER,
  IS_DUE,
  MOVE_TIMES,
  claimed,
  clearCancel,
  resumedEvent,
  startedEvent,
  takenOverEvent,
  type Claimed,
} from "./session-claim.ts";

/**
 * Claims the session if it has no lease, is due and meets the `condition`; returns no row otherwise. Its event, if it starts, goes on
 * after a wait or was deferred because its owner was lost, is numbered and stamped under the row's lock.
 */
const claimFree = (condition: string) => `
WITH found AS MATERIALIZED (
  SELECT ${CLAIM_COLUMNS},
    CASE WHEN s.status = 'in_progress' AND r.parked_at IS NOT NULL THEN 'session.resumed'
         WHEN s.status = 'pending' OR (s.status = 'in_progress' AND r.waiting_for IS NOT NULL) THEN 'session.status'
         WHEN ${HAS_OWNER} THEN 'session.taken_over' END AS event_type ${CLAIM_SOURCE}
    AND ${isNull("s.deleted_at")} AND ${CLAIMABLE} AND r.lease_expires_at IS NULL
    AND (s.status = 'cancelling' OR ${IS_DUE}) AND ${condition}
  FOR NO KEY UPDATE OF s, r
), started AS (
  UPDATE alert_sessions s SET pod_id = $2, started_at = coalesce(s.started_at, now()),
    status = CASE WHEN s.status = 'pending' THEN 'in_progress' ELSE s.status END
  FROM found WHERE s.session_id = found.session_id AND NOT found.is_followed_up
), paused AS (${EXTEND_DEADLINES}
  FROM found WHERE f.session_id = found.session_id AND f.status IN ('pending', 'active') AND found.is_followed_up AND found.pause_ms > 0
), moved AS (${MOVE_TIMES}
), claim AS (
  UPDATE session_runtime r SET lease_owner = $2, lease_epoch = r.lease_epoch + 1, last_step = $4,
    not_before = NULL, ${clearCancel("found.is_followed_up")},
    place_id = CASE WHEN NOT found.is_followed_up THEN $3::uuid END, ${CLAIM_PARKING},
    waiting_for = NULL, waiting_since = NULL, paused_ms = r.paused_ms + found.pause_ms::bigint,
    lease_expires_at = now() + make_interval(secs => ${LEASE_MS / 1_000}), last_interaction_at = clock_timestamp(),
    last_seq = r.last_seq + (found.event_type IS NOT NULL)::int
  FROM found WHERE r.session_id = found.session_id
  RETURNING r.session_id, r.last_seq, r.lease_epoch,
            r.last_interaction_at AS at, ${isoText("r.last_interaction_at")} AS stamp
), event AS (
  INSERT INTO events (session_id, seq, payload, created_at)
  SELECT claim.session_id, claim.last_seq,
         jsonb_build_object('type', found.event_type)
           || CASE found.event_type
                WHEN 'session.status' THEN jsonb_build_object('status', 'in_progress')
                WHEN 'session.resumed' THEN jsonb_build_object('parked_ms', greatest(0, found.parked_ms))
                ELSE jsonb_build_object('epoch', claim.lease_epoch, 'silent_ms', found.silent_ms) END,
         claim.at
  FROM claim JOIN found USING (session_id)
  WHERE found.event_type IS NOT NULL
  RETURNING id, seq
)
SELECT found.status, found.is_followed_up, found.age_ms, found.trace_context, found.chain_id, found.teams, found.budgets, found.tool_source, found.lease_epoch, found.attempts, found.interruptions, found.waiting_for, found.timeout_ms, found.elapsed_ms,
       found.database_time_ms, found.silent_ms, found.parked_ms, found.is_asked_to_park, found.inbox_seq, found.event_type, claim.stamp, event.id AS event_id, event.seq,
       CASE WHEN found.lease_epoch = 0 AND NOT found.is_followed_up THEN (SELECT to_json(state) FROM (${LOAD_NEW}) AS state) END AS state
FROM found JOIN claim USING (session_id) LEFT JOIN event ON true`;

const CLAIM_FREE = claimFree("true");
const CLAIM_ALONE = claimFree(IS_ALONE);

const parseFree = compileParser(
  "claimed session",
  Type.Object({
    ...Type.Pick(ClaimRow, [
      "status",
      "is_followed_up",
      "age_ms",
      "trace_context",
      "chain_id",
      "teams",
      "budgets",
      "tool_source",
      "lease_epoch",
      "attempts",
      "interruptions",
      "waiting_for",
      "timeout_ms",
      "elapsed_ms",
      "database_time_ms",
      "silent_ms",
      "parked_ms",
      "is_asked_to_park",
      "inbox_seq",
    ]).properties,
    event_type: Type.Union([
      literals(["session.status", "session.taken_over", "session.resumed"]),
      Type.Null(),
    ]),
    stamp: Type.String(),
    event_id: Type.Union([Type.Integer(), Type.Null()]),
    seq: Type.Union([Type.Integer(), Type.Null()]),
    state: Type.Union([Type.Object({}), Type.Null()]),
  }),
);

/** Claims a session in one statement if it has no lease and is due; otherwise resolves undefined. */
export async function claimFreeSession(
  db: Database,
  sessionId: string,
  podId: string,
  place: string,
): Promise<Claimed | undefined> {
  return claimBy(CLAIM_FREE, db, sessionId, podId, place);
}

/** Claims a session for its own place if it waits to be started, and nothing competes with it; otherwise resolves undefined. */
export async function claimAlone(
  db: Database,
  sessionId: string,
  podId: string,
): Promise<Claimed | undefined> {
  return claimBy(CLAIM_ALONE, db, sessionId, podId, sessionId);
}

async function claimBy(
  statement: string,
  db: Database,
  sessionId: string,
  podId: string,
  place: string,
): Promise<Claimed | undefined> {
  const step = randomUUID();
  const [row] = await selectRows(db, parseFree, statement, [sessionId, podId, place, step]);
  if (row === undefined) return undefined;
  const { attempts, state, event_id, seq, stamp: timestamp } = row;
  const payload = { ...claimEvent(sessionId, row), timestamp };
  const events =
    event_id === null || seq === null ? [] : [{ session_id: sessionId, seq, db_event_id: event_id, payload }];
  return claimed(sessionId, row, { step, attempts, state, events });
}

function claimEvent(sessionId: string, row: ReturnType<typeof parseFree>) {
  switch (row.event_type) {
    case "session.taken_over":
      return takenOverEvent(sessionId, row);
    case "session.resumed":
      return resumedEvent(sessionId, Math.max(0, row.parked_ms ?? 0));
    case "session.status":
    case null:
      return startedEvent(sessionId);
    default:
      return row.event_type satisfies never;
  }
}
