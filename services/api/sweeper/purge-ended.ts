import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

/** A page must be deleted well within `statement_timeout`; an event can have 256 KiB. */
const PAGE = 500;
/** A large result can have 16 MiB. */
const LARGE_PAGE = 20;

const parseCount = compileParser("purged rows", Type.Object({ n: Type.Integer() }));

/** SKIP LOCKED: replicas that purge concurrently take different rows. The runtime row is small, the session's is not. */
const MARK_SESSIONS = `
WITH ended AS (
  SELECT r.session_id FROM session_runtime r JOIN alert_sessions s USING (session_id)
  WHERE r.events_purged_at IS NULL AND s.completed_at < now() - make_interval(days => $1)
  LIMIT ${PAGE} FOR UPDATE OF r SKIP LOCKED
), marked AS (
  UPDATE session_runtime SET events_purged_at = now() FROM ended
  WHERE session_runtime.session_id = ended.session_id RETURNING 1
)
SELECT count(*)::int AS n FROM marked`;

/** No service may delete events or change a recorded result, except by these functions of the owner. */
const DELETE_EVENTS = `SELECT tarsy_purge_events($1, ${PAGE}) AS n`;
const CLEAR_RESULTS = `SELECT tarsy_clear_tool_results($1, ${PAGE}) AS n`;
const DELETE_LARGE_RESULTS = `SELECT tarsy_purge_tool_results($1, ${LARGE_PAGE}) AS n`;

/**
 * Deletes the events, the tool calls' own copies of their results and the whole texts of large ones, of the sessions that
 * ended more than `afterDays` ago; timeline, messages and interactions keep what the model was shown. Sessions are marked first, so that no reader takes the rest of
 * their events for all of them. Page by page, until none is left or `signal` aborts.
 */
export async function purgeEnded(db: Database, afterDays: number, signal: AbortSignal): Promise<void> {
  const statements = [
    { sql: MARK_SESSIONS, page: PAGE },
    { sql: DELETE_EVENTS, page: PAGE },
    { sql: CLEAR_RESULTS, page: PAGE },
    { sql: DELETE_LARGE_RESULTS, page: LARGE_PAGE },
  ];
  for (const { sql, page } of statements) {
    let isLastPage = false;
    while (!isLastPage && !signal.aborted) {
      const [purged] = await selectRows(db, parseCount, sql, [afterDays]);
      isLastPage = (purged?.n ?? 0) < page;
    }
  }
}
