import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Database } from "#shared/database/database.ts";
import { WAITS_FOR_PLACE } from "#shared/database/parking-columns.ts";
import { isNull } from "#shared/database/connection/statement-limits.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RECENT_STARTS } from "./choose-lane.ts";

/** More are not needed: who finds all of them claimed looks again a second later. */
const MAX_CANDIDATES = 8;

const Lane = literals(SESSION_LANES);

/** The state of a delivered wake-up's session, and of those that compete for its place. */
export const Waiting = Type.Object({
  /** The lane of the delivered session if it has not been started or is parked and waits for a place, else null. */
  pending_lane: Type.Union([Lane, Type.Null()]),
  /** True if that session is parked. */
  is_parked: Type.Boolean(),
  /** True if the delivered session runs in the place of another wake-up. */
  runs_elsewhere: Type.Boolean(),
  /** Milliseconds until the lease of the session that runs in this wake-up's place ends; null if none does. */
  used_for_ms: Type.Union([Type.Number(), Type.Null()]),
  /**
   * The session that goes first of those that were put off and are due, are to be cancelled, or have lost an owner that ran
   * them in another's place; null if there is none.
   */
  released: Type.Union([Type.Object({ session_id: Uuid, lane: Lane }), Type.Null()]),
  /** The lanes of sessions that have not been started, or are parked and wait for a place. */
  waiting: Type.Array(Lane),
  /** Parked sessions that wait for a place, the oldest first; at most some of each lane. */
  parked: Type.Array(Type.Object({ session_id: Uuid, lane: Lane })),
  /** The lanes of which a session runs. */
  running: Type.Array(Lane),
  /** Sessions that have not been started while another one runs in the place of their wake-up; the oldest first. */
  lent: Type.Array(Type.Object({ session_id: Uuid, lane: Lane, is_older: Type.Boolean() })),
});
export type Waiting = Static<typeof Waiting>;

const LANES = `ARRAY[${SESSION_LANES.map((lane) => `'${lane}'`).join(", ")}]`;

/** Conditions of a session `s` that the index of unfinished ones answers. */
const WAITS = `s.status = 'pending' AND ${isNull("s.deleted_at")}`;
const HAS_BEGUN = `s.status IN ('in_progress', 'cancelling') AND ${isNull("s.deleted_at")}`;

/**
 * True for a pending session `s` if nothing competes for the place of its own wake-up: no session of another lane waits, and each one that has
 * begun runs in its own place or rests until a time that has not come. Then the rules of `chooseSessions` name this session. Of those that
 * have begun it reads only the few that do not run in their own place. `CASE` hides the status from the planner, which would look for `s` among all
 * that wait.
 */
export const IS_ALONE = `CASE WHEN s.status = 'pending' THEN
  NOT EXISTS (
    SELECT FROM unnest(${LANES}) AS other
    WHERE other <> s.lane AND (
      SELECT true FROM alert_sessions s WHERE ${WAITS} AND s.lane = other ORDER BY s.created_at, s.session_id LIMIT 1))
  AND NOT EXISTS (
    SELECT FROM session_runtime r, LATERAL (SELECT * FROM alert_sessions WHERE session_id = r.session_id OFFSET 0) s
    WHERE r.is_out_of_place AND ${HAS_BEGUN}
      AND CASE WHEN r.lease_expires_at IS NOT NULL THEN true
            WHEN s.status = 'cancelling' THEN true
            WHEN r.parked_at IS NOT NULL THEN ${WAITS_FOR_PLACE}
            ELSE r.not_before IS NULL OR r.not_before <= now() END)
  END`;

const parseWaiting = compileParser("what waits for a place", Waiting);

/** Whether a session of the lane `lane.lane` runs: the last one that has begun does, unless it waits. */
const runsIn = (status: string) => `
  coalesce((SELECT true FROM alert_sessions s, LATERAL (SELECT * FROM session_runtime WHERE session_id = s.session_id OFFSET 0) r
            WHERE s.status = '${status}' AND ${isNull("s.deleted_at")} AND s.lane = lane.lane
              AND r.lease_expires_at > now() ORDER BY s.created_at DESC, s.session_id DESC LIMIT 1), false)`;

/**
 * Of the sessions that have begun it reads those that do not run in their own place, and one of each lane that does: the others cost a choice
 * nothing, however many they are. The own wake-up of one that ran in another's place may be behind many others. Each LIMIT and each OFFSET
 * keeps the planner from reading the whole queue.
 */
const READ = `
WITH active AS MATERIALIZED (
  SELECT s.session_id, s.lane, s.status, s.created_at, r.lease_expires_at, r.not_before, r.parked_at, r.place_id <> s.session_id AS is_borrowed,
         s.status = 'in_progress' AND r.lease_expires_at IS NULL AND ${WAITS_FOR_PLACE} AS is_parked,
         r.place_id AS place
  FROM (SELECT * FROM session_runtime WHERE is_out_of_place
        UNION ALL SELECT * FROM session_runtime WHERE session_id = $1 AND NOT is_out_of_place) r,
       LATERAL (SELECT * FROM alert_sessions WHERE session_id = r.session_id OFFSET 0) s
  WHERE ${HAS_BEGUN}
), running AS MATERIALIZED (
  SELECT session_id, lane, place, lease_expires_at FROM active WHERE lease_expires_at > now()
), parked AS MATERIALIZED (
  SELECT session_id, lane, created_at, row_number() OVER (PARTITION BY lane ORDER BY created_at, session_id) AS place
  FROM active WHERE is_parked
), delivered AS MATERIALIZED (
  SELECT lane, created_at FROM (SELECT * FROM alert_sessions WHERE session_id = $1 OFFSET 0) s
  WHERE ${WAITS}
)
SELECT coalesce((SELECT lane FROM delivered), (SELECT lane FROM parked WHERE session_id = $1)) AS pending_lane,
       EXISTS (SELECT 1 FROM parked WHERE session_id = $1) AS is_parked,
       EXISTS (SELECT 1 FROM running WHERE session_id = $1 AND place <> $1) AS runs_elsewhere,
       (SELECT (extract(epoch FROM max(lease_expires_at) - now()) * 1000)::float8 FROM running WHERE place = $1) AS used_for_ms,
       (SELECT json_build_object('session_id', session_id, 'lane', lane) FROM active
        WHERE (parked_at IS NULL OR status = 'cancelling')
          AND CASE WHEN lease_expires_at IS NULL
                THEN not_before <= now() OR status = 'cancelling' OR (not_before IS NULL AND is_borrowed)
                ELSE lease_expires_at <= now() AND is_borrowed END
        ORDER BY array_position(${LANES}, lane), created_at LIMIT 1) AS released,
       ARRAY(SELECT lane FROM unnest(${LANES}) AS lane
             WHERE (SELECT true FROM alert_sessions s JOIN session_runtime r USING (session_id)
                    WHERE ${WAITS} AND s.lane = lane.lane
                      AND (r.not_before IS NULL OR r.not_before <= now())
                    ORDER BY s.created_at, s.session_id LIMIT 1)
                OR EXISTS (SELECT 1 FROM parked WHERE parked.lane = lane.lane)) AS waiting,
       coalesce((SELECT json_agg(json_build_object('session_id', session_id, 'lane', lane) ORDER BY created_at, session_id)
                 FROM parked WHERE place <= ${MAX_CANDIDATES}), '[]') AS parked,
       ARRAY(SELECT lane FROM unnest(${LANES}) AS lane
             WHERE EXISTS (SELECT FROM running WHERE running.lane = lane.lane)
                OR ${runsIn("in_progress")} OR ${runsIn("cancelling")}) AS running,
       coalesce((SELECT json_agg(json_build_object('session_id', s.session_id, 'lane', s.lane,
                                   'is_older', s.created_at < coalesce((SELECT created_at FROM delivered), 'infinity'))
                                 ORDER BY s.created_at)
                 FROM running, LATERAL (
                   SELECT * FROM alert_sessions WHERE session_id = running.place OFFSET 0) s
                 WHERE running.place <> running.session_id AND ${WAITS}), '[]') AS lent`;

/** Reads what waits for the place of the delivered wake-up. */
export async function readWaiting(db: Database, delivered: string): Promise<Waiting | undefined> {
  const [row] = await selectRows(db, parseWaiting, READ, [delivered]);
  return row;
}

const parseId = compileParser("waiting session", Type.Object({ session_id: Uuid }));

const OLDEST = `
SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE ${WAITS} AND s.lane = $1 AND (r.not_before IS NULL OR r.not_before <= now())
ORDER BY s.created_at, s.session_id LIMIT ${MAX_CANDIDATES}`;

/** The oldest sessions of a lane that have not been started, oldest first; a few more than one, because others claim, too. */
export async function readOldest(db: Database, lane: SessionLane): Promise<readonly string[]> {
  const rows = await selectRows(db, parseId, OLDEST, [lane]);
  return rows.map(({ session_id }) => session_id);
}

const parseStart = compileParser("started session", Type.Object({ lane: Lane }));

/**
 * Of the sessions that run and those that ended last: with the few places for which this is read, they are the ones that started last.
 * That a parked session goes on is a start, too.
 */
const STARTS = `
SELECT lane FROM (
  (SELECT session_id, lane, started_at FROM alert_sessions
   WHERE completed_at IS NOT NULL AND deleted_at IS NULL AND started_at IS NOT NULL
   ORDER BY completed_at DESC LIMIT ${4 * RECENT_STARTS})
  UNION ALL
  SELECT session_id, lane, started_at FROM alert_sessions s WHERE ${HAS_BEGUN} AND started_at IS NOT NULL) AS started
JOIN session_runtime r USING (session_id)
ORDER BY greatest(started_at, r.resumed_at) DESC LIMIT ${RECENT_STARTS}`;

/** The lanes of the sessions that were started last or have gone on after a parking, the newest first. */
export async function readRecentStarts(db: Database): Promise<readonly SessionLane[]> {
  const rows = await selectRows(db, parseStart, STARTS, []);
  return rows.map(({ lane }) => lane);
}
