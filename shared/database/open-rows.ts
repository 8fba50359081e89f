import type { OwnedFunction } from "#shared/database/schema/service-roles.ts";

/** How rows of one table are open, and how one is closed whose session has ended without it. */
interface OpenRows {
  /** The column that says it, and its open values. */
  readonly column: string;
  readonly open: readonly string[];
  /** Of a further condition on the row `t`. */
  readonly isLost?: string;
  /** The assignments that close it, with what is known. */
  readonly close: string;
}

const LEFT_OPEN = "'left open when its session ended'";
const CANCELLED = `status = 'cancelled', completed_at = pg_catalog.now(), error_message = coalesce(t.error_message, ${LEFT_OPEN})`;

/**
 * Every table with rows of a session that are open for a while; a test compares it with the schema. The step that ends a session, or
 * records the answer, closes them; what a process that died left open behind the end, the api closes.
 */
export const OPEN_ROWS: Readonly<Record<string, OpenRows>> = {
  // As the runner does that is asked for a call whose own runner is gone.
  tool_calls: {
    column: "state",
    open: ["running"],
    isLost: "t.alive_until IS NULL OR t.alive_until < pg_catalog.clock_timestamp()",
    close: `state = 'failed', completed_at = pg_catalog.now(), alive_until = NULL,
      failure = CASE WHEN t.read_only OR t.phase = 'claimed' THEN 'interrupted' ELSE 'outcome_unknown' END,
      result = CASE WHEN t.read_only OR t.phase = 'claimed' THEN 'its runner died'
        ELSE 'its runner died; whether it took effect is not known' END`,
  },
  timeline_events: {
    column: "status",
    open: ["streaming"],
    close: "status = 'cancelled', updated_at = pg_catalog.now()",
  },
  agent_executions: { column: "status", open: ["pending", "active"], close: CANCELLED },
  stages: { column: "status", open: ["pending", "active"], close: CANCELLED },
  approvals: {
    column: "state",
    open: ["awaiting_approval"],
    close: "state = 'expired', decided_at = pg_catalog.now()",
  },
  session_scores: {
    column: "status",
    open: ["pending", "in_progress", "memorizing"],
    close: `status = 'failed', completed_at = pg_catalog.now(), error_message = coalesce(t.error_message, ${LEFT_OPEN})`,
  },
};

/**
 * Columns of a state in tables with rows of a session that are no such rows, and why.
 */
export const NEVER_LEFT_OPEN: Readonly<Record<string, string>> = {
  "alert_sessions.status": "the session itself, which the sweeper wakes an executor for",
  "alert_sessions.review_status": "of people, after the end",
  "session_review_activities.from_status": "a record of the past",
  "session_review_activities.to_status": "a record of the past",
  "agent_executions.iteration_state": "where a controller is",
  "conclusions.status": "what a check found, which does not change",
  "conclusions.stated_status": "what an agent stated",
  "messages.provider_state": "what a provider needs back",
  "follow_ups.status": "work after the end, which the sweeper wakes an executor for",
  "outbox.state": "sent until it is received or dead, whatever its session does",
};

/** A step that ends a session, and a call that is being recorded, are over by then. */
const SETTLED = "pg_catalog.clock_timestamp() - interval '60 seconds'";

/**
 * Closes the open rows of sessions that ended, or whose last follow-up did, within `hours`, and more than a minute ago, and
 * that have no owner and no open follow-up. SKIP LOCKED: replicas take different rows.
 */
export const CLOSE_OPEN_ROWS: OwnedFunction = {
  name: "tarsy_close_open_rows",
  parameters: "hours integer",
  returns: "TABLE (table_name text, closed integer)",
  language: "sql",
  body: (schema) => `
WITH recent AS (
  SELECT s.session_id FROM ${schema}.alert_sessions s
  WHERE s.completed_at > pg_catalog.now() - pg_catalog.make_interval(hours => hours) AND s.completed_at < ${SETTLED}
  UNION
  SELECT f.session_id FROM ${schema}.follow_ups f
  WHERE f.completed_at > pg_catalog.now() - pg_catalog.make_interval(hours => hours) AND f.completed_at < ${SETTLED}
), over AS MATERIALIZED (
  SELECT s.session_id FROM recent JOIN ${schema}.alert_sessions s USING (session_id)
    JOIN ${schema}.session_runtime r USING (session_id)
  WHERE s.completed_at < ${SETTLED} AND (r.lease_expires_at IS NULL OR r.lease_expires_at < ${SETTLED})
    AND NOT EXISTS (SELECT FROM ${schema}.follow_ups f WHERE f.session_id = s.session_id
                    AND (f.status IN ('pending', 'active') OR f.completed_at >= ${SETTLED}))
)${Object.entries(OPEN_ROWS)
    .map(([table, { column, open, isLost = "true", close }]) => {
      const isOpen = `t.${column} IN (${open.map((state) => `'${state}'`).join(", ")}) AND (${isLost})`;
      return `, ${table}_left AS (
  SELECT t.ctid FROM ${schema}.${table} t JOIN over USING (session_id) WHERE ${isOpen} FOR UPDATE OF t SKIP LOCKED
), ${table}_closed AS (
  UPDATE ${schema}.${table} t SET ${close} FROM ${table}_left WHERE t.ctid = ${table}_left.ctid AND ${isOpen} RETURNING t.*
)`;
    })
    .join("")}, audited AS (
  INSERT INTO ${schema}.audit_log (service, subject, via, action, session_id, result, detail)
  SELECT 'api', execution_id::text, 'agent', 'tool.call', session_id, failure,
         pg_catalog.jsonb_build_object('call_id', call_id, 'tool', name)
  FROM tool_calls_closed
)
${Object.keys(OPEN_ROWS)
  .map((table) => `SELECT '${table}'::text, pg_catalog.count(*)::integer FROM ${table}_closed`)
  .join("\nUNION ALL ")}`,
  execute: ["api"],
};
