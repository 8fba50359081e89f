import { BUDGET_FUNCTIONS } from "#shared/database/functions/budget-functions.ts";
import { CLOSE_OPEN_ROWS } from "#shared/database/open-rows.ts";
import type { OwnedFunction } from "#shared/database/schema/service-roles.ts";

/** No caller can have an ended session's history purged before this many days, whatever number it gives. */
const MIN_PURGE_DAYS = 1;

const afterDays = `pg_catalog.now() - pg_catalog.make_interval(days => greatest(after_days, ${MIN_PURGE_DAYS}))`;

/**
 * The condition that the session of a row is marked as purged. As a value and not as a join: a planner without statistics about the sessions
 * that were marked just now would take them for none, begin with them, and sort all of their rows for a page.
 */
const isPurged = (schema: string, row: string): string =>
  `(SELECT r.events_purged_at IS NOT NULL FROM ${schema}.session_runtime r WHERE r.session_id = ${row}.session_id)`;

/** The large tables of a session with their keys, rows before those they depend on. */
const LARGE_TABLES = [
  // By the place of the row: no index has its id.
  ["row_history", "ctid"],
  ["events", "id"],
  ["tool_results", "call_id"],
  ["tool_calls", "call_id"],
  ["timeline_events", "event_id"],
  ["mcp_interactions", "interaction_id"],
  ["llm_interactions", "interaction_id"],
  ["messages", "message_id"],
  ["group_alerts", "alert_id"],
] as const;

/**
 * Every function of the owner. `migrate` creates them with a search path of pg_catalog only, and takes EXECUTE from PUBLIC.
 * Services of two versions run side by side during an upgrade: a change of parameters or meaning needs a new name.
 */
export const OWNED_FUNCTIONS: readonly OwnedFunction[] = [
  {
    // A share lock needs the right to update the row, which a tool-runner must not have.
    name: "tarsy_hold_work",
    parameters: "held_session uuid",
    returns:
      "TABLE (session_id uuid, lease_epoch integer, lease_expires_at timestamptz, cancel_requested_at timestamptz, cancelled_follow_ups uuid[])",
    language: "sql",
    body: (schema) => `
SELECT r.session_id, r.lease_epoch, r.lease_expires_at, r.cancel_requested_at, r.cancelled_follow_ups
FROM ${schema}.session_runtime r WHERE r.session_id = held_session FOR SHARE`,
    execute: ["executor", "tool-runner"],
  },
  {
    // Events of sessions that are marked as purged. SKIP LOCKED: replicas that purge concurrently take different rows. The
    // events of a session that ended before the period are older than the first one that ended later, so that their ids find them.
    name: "tarsy_purge_events",
    parameters: "after_days integer, page integer",
    returns: "integer",
    language: "sql",
    body: (schema) => `
WITH old AS (
  SELECT e.id FROM ${schema}.events e
  WHERE e.id < coalesce((
    SELECT (SELECT l.id FROM ${schema}.events l WHERE l.session_id = kept.session_id ORDER BY l.seq DESC LIMIT 1)
    FROM ${schema}.alert_sessions kept WHERE kept.completed_at >= ${afterDays} AND kept.deleted_at IS NULL
    ORDER BY kept.completed_at LIMIT 1), 9223372036854775807)
    AND ${isPurged(schema, "e")}
    AND (SELECT s.completed_at < ${afterDays} FROM ${schema}.alert_sessions s WHERE s.session_id = e.session_id)
  ORDER BY e.id LIMIT page FOR UPDATE OF e SKIP LOCKED
), deleted AS (
  DELETE FROM ${schema}.events WHERE events.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1
)
SELECT pg_catalog.count(*)::integer FROM deleted`,
    execute: ["api"],
  },
  {
    // The row itself stays: its id must never run again.
    name: "tarsy_clear_tool_results",
    parameters: "after_days integer, page integer",
    returns: "integer",
    language: "sql",
    body: (schema) => `
WITH old AS (
  SELECT c.call_id FROM ${schema}.tool_calls c
  WHERE c.result IS NOT NULL AND c.completed_at < ${afterDays} AND ${isPurged(schema, "c")}
  ORDER BY c.completed_at LIMIT page FOR UPDATE OF c SKIP LOCKED
), cleared AS (
  UPDATE ${schema}.tool_calls SET result = NULL FROM old WHERE tool_calls.call_id = old.call_id RETURNING 1
)
SELECT pg_catalog.count(*)::integer FROM cleared`,
    execute: ["api"],
  },
  {
    name: "tarsy_purge_tool_results",
    parameters: "after_days integer, page integer",
    returns: "integer",
    language: "sql",
    body: (schema) => `
WITH old AS (
  SELECT t.call_id FROM ${schema}.tool_results t
  WHERE t.created_at < ${afterDays} AND ${isPurged(schema, "t")}
  ORDER BY t.created_at LIMIT page FOR UPDATE OF t SKIP LOCKED
), deleted AS (
  DELETE FROM ${schema}.tool_results USING old WHERE tool_results.call_id = old.call_id RETURNING 1
)
SELECT pg_catalog.count(*)::integer FROM deleted`,
    execute: ["api"],
  },
  {
    // At most `page` rows a call, of a session that is hidden; true once the session itself is gone, with what is left of
    // it by cascade and a trigger. Rows go before those they depend on.
    name: "tarsy_remove_session",
    parameters: "removed_session uuid, page integer",
    returns: "boolean",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  budget integer := page;
  removed integer;
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.alert_sessions s
                 WHERE s.session_id = removed_session AND s.deleted_at IS NOT NULL) THEN
    RETURN true;
  END IF;
${LARGE_TABLES.map(
  ([table, key]) => `
  WITH one AS (
    SELECT t.${key} AS id FROM ${schema}.${table} t WHERE t.session_id = removed_session LIMIT budget FOR UPDATE SKIP LOCKED
  )
  DELETE FROM ${schema}.${table} t USING one WHERE t.${key} = one.id;
  GET DIAGNOSTICS removed = ROW_COUNT;
  budget := budget - removed;
  IF budget <= 0 THEN RETURN false; END IF;`,
).join("\n")}
  DELETE FROM ${schema}.alert_sessions s WHERE s.session_id = removed_session AND s.deleted_at IS NOT NULL;
  RETURN true;
END`,
    execute: ["api"],
  },
  ...BUDGET_FUNCTIONS,
  CLOSE_OPEN_ROWS,
];
