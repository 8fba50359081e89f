import { table, ADD, READ, type Row } from "#shared/database/tables/table.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { REVIEW_STATUSES, QUALITY_RATINGS } from "#shared/contracts/review.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";

/**
 * One alert and its investigation. Columns that change with every step or heartbeat are in `session_runtime`. Unfinished sessions are not
 * in the index by time of completion: each change of the status writes a new version of the row into every index. The expressions of the
 * indexes for sorting are those of `services/api/sessions/session-order.ts`. Conditions of checks and triggers are short, because each
 * statement that changes the table parses them.
 */
export const ALERT_SESSIONS = table({
  name: "alert_sessions",
  columns: {
    session_id: { type: "uuid", primary: true },
    /** Opaque text, at most 1 MiB in UTF-8. */
    alert_data: { type: "text", from: "alert" },
    agent_type: { type: "text", from: "config" },
    alert_type: { type: "text", nullable: true, from: "config" },
    status: {
      type: "enum",
      enum: SESSION_STATUSES,
      enumName: "session_status",
      default: "'pending'",
      set: ["api", "executor"],
    },
    created_at: { type: "timestamptz", default: "now()" },
    started_at: { type: "timestamptz", nullable: true, set: "executor" },
    completed_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    error_message: { type: "text", nullable: true, from: "other", set: ["api", "executor"] },
    /** Machine-readable companion of error_message, e.g. `session_deadline`. */
    error_code: { type: "text", nullable: true, from: "ours", set: ["api", "executor"] },
    final_analysis: { type: "text", nullable: true, from: "model", set: "executor" },
    executive_summary: { type: "text", nullable: true, from: "model", set: "executor" },
    executive_summary_error: { type: "text", nullable: true, from: "other", set: "executor" },
    session_metadata: { type: "jsonb", nullable: true, from: "ours" },
    author: { type: "text", nullable: true, from: "caller" },
    runbook_url: { type: "text", nullable: true, from: "alert" },
    mcp_selection: { type: "jsonb", nullable: true, from: "alert" },
    chain_id: { type: "text", from: "config" },
    /** Of the configuration resolved at submission, in `resolved_configs`. */
    config_hash: { type: "text", from: "digest" },
    current_stage_index: { type: "integer", nullable: true, set: "executor" },
    current_stage_id: { type: "uuid", nullable: true, set: "executor" },
    /** The executor that claimed it last. */
    pod_id: { type: "text", nullable: true, from: "ours", set: "executor" },
    slack_message_fingerprint: { type: "text", nullable: true, from: "alert" },
    /** From then on the session is unknown to every reader. */
    deleted_at: { type: "timestamptz", nullable: true, set: "api" },
    /** True if an agent went on without tools that it should have had. */
    degraded: { type: "boolean", default: "false", set: "executor" },
    /** Who submitted it, as authenticated; null without authentication. */
    owner_subject: { type: "text", nullable: true, from: "caller" },
    /** The teams that may see it. */
    teams: { type: "text", array: true, default: "'{}'", from: "config" },
    /** Random text of which the frames of its prompts are made; never shown. */
    prompt_nonce: { type: "text", default: "gen_random_uuid()::text", from: "ours" },
    /** The key of the digits in placeholders of masked values; never shown. */
    mask_key: { type: "text", default: "gen_random_uuid()::text", from: "ours" },
    /** Null while the session runs. */
    review_status: { type: "text", nullable: true, enum: REVIEW_STATUSES, from: "ours", set: "api" },
    /** The name of who claimed the review last. */
    assignee: { type: "text", nullable: true, from: "caller", set: "api" },
    assigned_at: { type: "timestamptz", nullable: true, set: "api" },
    quality_rating: { type: "text", nullable: true, enum: QUALITY_RATINGS, from: "ours", set: "api" },
    /** What the reviewer did about the alert. */
    action_taken: { type: "text", nullable: true, from: "person", set: "api" },
    /** What the reviewer says about the investigation. */
    investigation_feedback: { type: "text", nullable: true, from: "person", set: "api" },
    /** The rating or a text was changed after the review was completed. */
    feedback_edited: { type: "boolean", default: "false", set: "api" },
    feedback_edited_by: { type: "text", nullable: true, from: "caller", set: "api" },
    feedback_edited_at: { type: "timestamptz", nullable: true, set: "api" },
    /** Where the trace of its submission is (`shared/telemetry/trace-carrier.ts`); null if it was not traced. */
    trace_context: { type: "jsonb", nullable: true, from: "other" },
    /** How urgent it is, beside the other sessions that wait. */
    lane: { type: "text", default: "'normal'", enum: SESSION_LANES, from: "ours" },
    /** Where its news go (`NotifyPlan`); null without receivers. */
    notify: { type: "jsonb", nullable: true, from: "config" },
    /** The session of the same incident that ended before this one began; its agents get the conclusion. */
    reopened_from: { type: "uuid", nullable: true },
    /** Whether its calls of tools are made, or answered from `recorded_tool_calls`. */
    tools_mode: { type: "text", default: "'live'", enum: TOOLS_MODES, from: "ours" },
    /** The world that answers its calls of tools in place of `recorded_tool_calls`. */
    world_hash: { type: "text", nullable: true, from: "digest" },
    /** The session that it is a fork of, which may be gone by now. */
    forked_from: { type: "uuid", nullable: true },
    /** The number of that session's event after which the fork goes its own way. */
    forked_at_seq: { type: "integer", nullable: true },
    /** What was changed (`ForkChanges`). */
    fork_changes: { type: "jsonb", nullable: true, from: "person" },
  },
  constraints: [
    "CONSTRAINT ended_means_terminal CHECK ((completed_at IS NOT NULL) = (status IN ('completed','failed','cancelled','timed_out')))",
    "CONSTRAINT review_follows_end CHECK ((review_status IS NULL) = (completed_at IS NULL))",
  ],
  indexes: [
    "alert_sessions_status_created (status, created_at)",
    "alert_sessions_deleted (deleted_at) WHERE deleted_at IS NOT NULL",
    "alert_sessions_running (created_at) WHERE status IN ('in_progress','cancelling') AND deleted_at IS NULL",
    "alert_sessions_completed (completed_at) WHERE completed_at IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_created (created_at, session_id) INCLUDE (alert_type, chain_id) WHERE deleted_at IS NULL",
    "alert_sessions_chain_id (chain_id, created_at, session_id)",
    "alert_sessions_by_alert_type (coalesce(alert_type, ''), created_at, session_id) WHERE deleted_at IS NULL",
    "alert_sessions_by_author (coalesce(author, ''), created_at, session_id) WHERE deleted_at IS NULL",
    "alert_sessions_by_duration ((extract(epoch FROM completed_at - started_at)::float8), created_at, session_id) WHERE completed_at IS NOT NULL AND started_at IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_owner (owner_subject, created_at, session_id) WHERE owner_subject IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_teams USING gin (teams) WITH (fastupdate = off) WHERE deleted_at IS NULL AND teams <> '{}'",
    "alert_sessions_review (review_status, created_at, session_id) WHERE review_status IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_review_assignee (assignee, review_status, created_at, session_id) WHERE assignee IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_by_rating (quality_rating, created_at, session_id) WHERE quality_rating IS NOT NULL AND deleted_at IS NULL",
    "alert_sessions_waiting (lane, created_at, session_id) WHERE status = 'pending' AND deleted_at IS NULL",
    "alert_sessions_forked_from (forked_from, created_at) WHERE forked_from IS NOT NULL",
    // For executors, which compare `deleted_at` by `isNull`. Of equal ones the planner takes the last.
    "alert_sessions_unfinished (status, lane, created_at, session_id) WHERE status IN ('pending','in_progress','cancelling')",
  ],
  storage: "fillfactor = 80",
  grants: {
    api: ADD,
    executor: READ,
    "tool-runner": {
      select: ["session_id", "status", "deleted_at", "config_hash", "mask_key", "runbook_url"],
    },
    notifier: {
      select: [
        "session_id",
        "status",
        "completed_at",
        "deleted_at",
        "chain_id",
        "config_hash",
        "executive_summary",
        "owner_subject",
        "teams",
      ],
    },
  },
  purge: { kind: "own", by: "the api's clean-up, after RETENTION_DAYS and PURGE_DAYS, or on request" },
  past: {
    since: "always",
    changing: [
      ["status", "started_at", "pod_id"],
      ["degraded"],
      {
        columns: [
          "completed_at",
          "error_message",
          "error_code",
          "final_analysis",
          "executive_summary",
          "executive_summary_error",
        ],
        by: ["completed_at"],
      },
      // The end of the session sets it alone.
      ["review_status"],
      [
        "assignee",
        "assigned_at",
        "quality_rating",
        "action_taken",
        "investigation_feedback",
        "feedback_edited",
        "feedback_edited_by",
        "feedback_edited_at",
      ],
    ],
  },
  afterwards: `
CREATE FUNCTION tarsy_await_indexing() RETURNS trigger LANGUAGE plpgsql AS $await_indexing$
BEGIN
  INSERT INTO search_progress (session_id, created_at) VALUES (NEW.session_id, NEW.created_at);
  RETURN NULL;
END
$await_indexing$;
CREATE TRIGGER alert_sessions_await_indexing AFTER INSERT ON alert_sessions FOR EACH ROW
  EXECUTE FUNCTION tarsy_await_indexing();
CREATE FUNCTION tarsy_forget_fork() RETURNS trigger LANGUAGE plpgsql AS $forget_fork$
BEGIN
  DELETE FROM resolved_configs WHERE config_hash = OLD.config_hash;
  RETURN NULL;
END
$forget_fork$;
CREATE TRIGGER alert_sessions_forget_fork AFTER DELETE ON alert_sessions FOR EACH ROW
  WHEN (OLD.forked_from IS NOT NULL) EXECUTE FUNCTION tarsy_forget_fork();
CREATE FUNCTION tarsy_begin_review() RETURNS trigger LANGUAGE plpgsql AS $begin_review$
BEGIN
  NEW.review_status := CASE
    WHEN NEW.status IN ('completed', 'failed', 'timed_out') THEN 'needs_review'
    WHEN NEW.status = 'cancelled' THEN 'reviewed'
  END;
  RETURN NEW;
END
$begin_review$;
CREATE TRIGGER alert_sessions_begin_review BEFORE INSERT OR UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN ((NEW.review_status IS NULL) <> (NEW.completed_at IS NULL))
  EXECUTE FUNCTION tarsy_begin_review();
CREATE FUNCTION tarsy_notify_of_session() RETURNS trigger LANGUAGE plpgsql AS $notify_of_session$
DECLARE
  news text := CASE NEW.status WHEN 'in_progress' THEN 'session.started' ELSE 'session.ended' END;
BEGIN
  IF NEW.status <> OLD.status AND NEW.status IN ('in_progress', 'completed', 'failed', 'cancelled', 'timed_out') THEN
    INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
    SELECT NEW.session_id, news, d.key, replace(news, '.', '-') || ':' || NEW.session_id || ':' || d.key, '{}'
    FROM jsonb_each(NEW.notify) AS d WHERE d.value ? news
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$notify_of_session$;
CREATE TRIGGER alert_sessions_notify AFTER UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN (NEW.notify IS NOT NULL) EXECUTE FUNCTION tarsy_notify_of_session();
`,
});

export type AlertSession = Row<typeof ALERT_SESSIONS>;
