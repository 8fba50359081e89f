import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { EXECUTOR_DEAD_MS } from "#shared/contracts/durations.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Database } from "#shared/database/database.ts";
import { WAITS_FOR_PLACE } from "#shared/database/parking-columns.ts";
import { PLACES_LOCK } from "#shared/database/places-lock.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** A session is parked for critical ones at most so often, so that it comes to its end. */
const MAX_PARKINGS = 5;
/** After it has gone on, it runs for so long before it is parked again. */
const RUNS_BETWEEN_SECONDS = 60;
/** A session that has not obeyed by then is no place to be expected: its executor is frozen or lost. */
const EXPECTED_WITHIN_SECONDS = 15;
/** With fewer places no lane keeps one for itself, as when a place is given. */
const MIN_PLACES_FOR_SHARES = SESSION_LANES.length;
const REASON = "a critical session waits for a place";

const ParkedByRequest = Type.Object({
  session_id: Uuid,
  inbox_seq: Type.Integer(),
  lane: literals(SESSION_LANES),
});
const parseAsked = compileParser("session asked to park", ParkedByRequest);
const parseAny = compileParser("critical session that waits", Type.Object({ waits: Type.Boolean() }));

/** `s` is a critical session that waits for a place, `r` its runtime. */
const WAITING = `s.lane = 'critical' AND s.deleted_at IS NULL AND (
    s.status = 'pending' AND (r.not_before IS NULL OR r.not_before <= now())
    OR s.status = 'in_progress' AND r.lease_expires_at IS NULL AND ${WAITS_FOR_PLACE})`;

const ANY_WAITS = `
SELECT EXISTS (SELECT 1 FROM alert_sessions s JOIN session_runtime r USING (session_id)
               WHERE s.status IN ('pending', 'in_progress') AND ${WAITING}) AS waits`;

/**
 * As many sessions as critical ones wait for which no place is free or about to be: those of the lowest lane first, of a lane the youngest
 * first. With at least three places ($1) each lane keeps its oldest. A lane's rank counts those first that cannot be parked: they keep
 * the lane's place.
 */
const ASK = `
WITH running AS MATERIALIZED (
  SELECT s.session_id, s.lane, s.status, s.started_at, coalesce(r.resumed_at, s.started_at) AS runs_since, r.park_requested_at,
         (s.status = 'in_progress' AND s.lane <> 'critical' AND r.park_requested_at IS NULL
          AND r.parkings < ${MAX_PARKINGS}
          AND (r.parkings = 0 OR r.resumed_at <= now() - make_interval(secs => ${RUNS_BETWEEN_SECONDS}))) AS may_park
  FROM alert_sessions s JOIN session_runtime r USING (session_id)
  WHERE s.status IN ('in_progress', 'cancelling') AND s.deleted_at IS NULL AND r.lease_expires_at > now()
), wanted AS (
  SELECT (SELECT count(*) FROM alert_sessions s JOIN session_runtime r USING (session_id)
          WHERE s.status IN ('pending', 'in_progress') AND ${WAITING})
       - greatest(0, least($1::int, (SELECT coalesce(sum(slots), 0) FROM executors
                                     WHERE stopped_at IS NULL AND seen_at > now() - make_interval(secs => ${EXECUTOR_DEAD_MS / 1_000})))
                     - (SELECT count(*) FROM running))
       - (SELECT count(*) FROM running WHERE park_requested_at > now() - make_interval(secs => ${EXPECTED_WITHIN_SECONDS}))
       AS places
), ranked AS (
  SELECT session_id, lane, runs_since, may_park,
         row_number() OVER (PARTITION BY lane ORDER BY may_park, started_at, session_id) AS place
  FROM running WHERE park_requested_at IS NULL
), chosen AS (
  SELECT session_id, lane FROM ranked
  WHERE may_park AND place > CASE WHEN $1 >= ${MIN_PLACES_FOR_SHARES} THEN 1 ELSE 0 END
  ORDER BY array_position(ARRAY['low', 'normal'], lane), runs_since DESC, session_id DESC
  LIMIT (SELECT greatest(0, places) FROM wanted)
)
UPDATE session_runtime r SET park_requested_at = clock_timestamp(), park_by = 'priority', park_reason = '${REASON}',
  inbox_seq = inbox_seq + 1
FROM chosen
WHERE r.session_id = chosen.session_id AND r.park_requested_at IS NULL AND r.lease_expires_at > now()
RETURNING r.session_id, r.inbox_seq, chosen.lane`;

/**
 * Asks exactly as many running sessions to park as critical ones wait for which no place is free or about to be. Decided from rows under the
 * lock under which executors choose. Resolves with those that were asked.
 */
export async function askForPlaces(
  db: Database,
  places: number,
): Promise<readonly Static<typeof ParkedByRequest>[]> {
  const [any] = await selectRows(db, parseAny, ANY_WAITS, []);
  if (any?.waits !== true) return [];
  return db.transaction(async (transaction) => {
    await transaction.query("SELECT pg_advisory_xact_lock($1)", [PLACES_LOCK]);
    return selectRows(transaction, parseAsked, ASK, [places]);
  });
}
