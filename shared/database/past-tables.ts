import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { PARKING_COLUMNS } from "#shared/database/parking-columns.ts";
import { REVIEW_COLUMNS } from "#shared/database/review-columns.ts";
import { SESSION_COUNTERS, SESSION_FLAGS } from "#shared/database/session-counters.ts";

/** How the past of a table's rows is kept. */
export interface PastTable {
  /** The row's id as a SQL expression of type uuid; `row` is the SQL name of a row. */
  readonly key: (row: string) => string;
  /** The columns that updates change; what an update overwrites is kept. The others never change, or belong to the present. */
  readonly changing: readonly string[];
  /**
   * How it is known since when a row exists: `seq`: by its column of this name; `kept`: by a row of `row_history`; `always`: since
   * the session exists.
   */
  readonly since: "seq" | "kept" | "always";
}

const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;

const idOf = (column: string) => (row: string) => `${row}.${column}`;
/** Of two columns one id. */
const idOfBoth = (first: string, second: string) => (row: string) =>
  `md5(${row}.${first}::text || '/' || ${row}.${second}::text)::uuid`;

/** Of `alert_sessions`: neither what submission decides nor what only the present has (`deleted_at`). */
const SESSION_COLUMNS = [
  "status",
  "started_at",
  "completed_at",
  "error_message",
  "error_code",
  "final_analysis",
  "executive_summary",
  "executive_summary_error",
  "current_stage_index",
  "current_stage_id",
  "pod_id",
  "degraded",
  ...REVIEW_COLUMNS,
] as const;

/** Of `session_runtime`: neither leases nor deadlines nor inboxes, which belong to the present. */
export const PAST_RUNTIME_COLUMNS = [
  "last_seq",
  "last_interaction_at",
  "waiting_for",
  "waiting_since",
  "paused_ms",
  ...PARKING_COLUMNS,
  "chat_message_count",
  ...TOKENS,
  ...SESSION_COUNTERS,
  ...SESSION_FLAGS,
] as const;

/**
 * The tables of which a session's past is known, but for `alert_groups`, whose rows move from session to session
 * (`past-triggers.ts`). All of them have a column `session_id`.
 */
export const PAST_TABLES: Readonly<Record<string, PastTable>> = {
  alert_sessions: { key: idOf("session_id"), changing: SESSION_COLUMNS, since: "always" },
  session_runtime: { key: idOf("session_id"), changing: PAST_RUNTIME_COLUMNS, since: "always" },
  stages: {
    key: idOf("stage_id"),
    changing: [
      "status",
      "completed_at",
      "duration_ms",
      "error_message",
      "error_code",
      "actions_executed",
      "actions_claimed",
    ],
    since: "kept",
  },
  agent_executions: {
    key: idOf("execution_id"),
    changing: [
      "status",
      "started_at",
      "completed_at",
      "duration_ms",
      "error_message",
      "error_code",
      "iteration_state",
      "llm_provider",
      "llm_backend",
      "model_name",
      "original_llm_provider",
      "original_llm_backend",
      "original_model_name",
      "delivered_at",
      "cancel_requested_at",
      ...TOKENS,
      ...COST_SUMS,
      "seq",
    ],
    since: "seq",
  },
  messages: { key: idOf("message_id"), changing: ["content", "seq"], since: "seq" },
  llm_interactions: { key: idOf("interaction_id"), changing: [], since: "seq" },
  mcp_interactions: { key: idOf("interaction_id"), changing: [], since: "seq" },
  timeline_events: {
    key: idOf("event_id"),
    changing: [
      "status",
      "content",
      "metadata",
      "updated_at",
      "llm_interaction_id",
      "mcp_interaction_id",
      "seq",
    ],
    since: "seq",
  },
  approvals: {
    key: idOf("approval_id"),
    changing: ["state", "decided_at", "decided_by", "reason"],
    since: "kept",
  },
  steering_messages: { key: idOf("message_id"), changing: [], since: "kept" },
  steering_deliveries: { key: idOfBoth("message_id", "execution_id"), changing: [], since: "kept" },
  evidence_deliveries: { key: idOfBoth("execution_id", "through"), changing: [], since: "kept" },
  session_memories: { key: idOfBoth("execution_id", "memory_id"), changing: [], since: "kept" },
  group_alerts: { key: idOf("alert_id"), changing: [], since: "kept" },
  chats: { key: idOf("chat_id"), changing: [], since: "kept" },
  session_scores: {
    key: idOf("score_id"),
    changing: [
      "status",
      "total_score",
      "score_analysis",
      "tool_improvement_report",
      "failure_tags",
      "prompt_hash",
      "error_message",
      "started_at",
      "completed_at",
    ],
    since: "kept",
  },
};
