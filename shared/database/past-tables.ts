import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { PARKING_COLUMNS } from "#shared/database/parking-columns.ts";
import { REVIEW_COLUMNS } from "#shared/database/review-columns.ts";
import { SESSION_FLAGS } from "#shared/database/session-counters.ts";

/**
 * Columns that change together: all of them are kept if an update overwrites one of `by`, and with each update if there is none. To
 * compare all columns one by one would double what a step pays for its past.
 */
export interface PastGroup {
  readonly columns: readonly string[];
  readonly by: readonly string[];
}

/** How the past of a table's rows is kept. */
export interface PastTable {
  /** The row's id as a SQL expression of type uuid; `row` is the SQL name of a row. */
  readonly key: (row: string) => string;
  /** The columns that updates change. The others never change, or belong to the present. */
  readonly changing: readonly PastGroup[];
  /**
   * How it is known since when a row exists: `seq`: by its column of this name; `kept`: by a row of `row_history`; `always`: since
   * the session exists.
   */
  readonly since: "seq" | "kept" | "always";
}

const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;

/** Columns of which any may change alone. */
const group = (...columns: string[]): PastGroup => ({ columns, by: columns });
/** Columns that are kept with each update. */
const always = (...columns: string[]): PastGroup => ({ columns, by: [] });

const idOf = (column: string) => (row: string) => `${row}.${column}`;
/** Of two columns one id. */
const idOfBoth = (first: string, second: string) => (row: string) =>
  `md5(${row}.${first}::text || '/' || ${row}.${second}::text)::uuid`;

const STAGE_COUNTS = ["total_stages", "completed_stages", "failed_stages", "provider_fallback_count"];
const CALLS = [...TOKENS, ...COST_SUMS];

/**
 * The tables of which a session's past is known, but for `alert_groups`, whose rows move from session to session
 * (`past-triggers.ts`). All of them have a column `session_id`.
 */
export const PAST_TABLES: Readonly<Record<string, PastTable>> = {
  // Neither what submission decides nor what only the present has (`deleted_at`).
  alert_sessions: {
    key: idOf("session_id"),
    changing: [
      group("status", "started_at", "pod_id"),
      group("current_stage_index", "current_stage_id"),
      group("degraded"),
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
      group(...REVIEW_COLUMNS),
    ],
    since: "always",
  },
  // Neither leases nor deadlines nor inboxes, which belong to the present.
  session_runtime: {
    key: idOf("session_id"),
    changing: [
      always("last_seq", "last_interaction_at"),
      { columns: ["llm_interaction_count", ...CALLS], by: ["llm_interaction_count", "total_tokens"] },
      group("mcp_interaction_count"),
      {
        columns: [...STAGE_COUNTS, ...SESSION_FLAGS],
        by: [...STAGE_COUNTS, "has_summary_stage"],
      },
      { columns: ["waiting_for", "waiting_since", "paused_ms"], by: ["waiting_since"] },
      {
        columns: PARKING_COLUMNS,
        by: ["park_requested_at", "park_by", "park_actor", "park_until", "parked_at"],
      },
      group("chat_message_count"),
    ],
    since: "always",
  },
  stages: {
    key: idOf("stage_id"),
    changing: [
      always(
        "status",
        "completed_at",
        "duration_ms",
        "error_message",
        "error_code",
        "actions_executed",
        "actions_claimed",
      ),
    ],
    since: "kept",
  },
  agent_executions: {
    key: idOf("execution_id"),
    changing: [
      always("iteration_state", "seq"),
      { columns: CALLS, by: ["total_tokens", "priced_interaction_count", "unpriced_interaction_count"] },
      {
        columns: ["status", "started_at", "completed_at", "duration_ms", "error_message", "error_code"],
        by: ["status", "started_at"],
      },
      {
        columns: [
          "llm_provider",
          "llm_backend",
          "model_name",
          "original_llm_provider",
          "original_llm_backend",
          "original_model_name",
        ],
        by: ["llm_provider", "model_name", "original_llm_provider"],
      },
      group("delivered_at", "cancel_requested_at"),
    ],
    since: "seq",
  },
  messages: { key: idOf("message_id"), changing: [always("content", "seq")], since: "seq" },
  llm_interactions: { key: idOf("interaction_id"), changing: [], since: "seq" },
  mcp_interactions: { key: idOf("interaction_id"), changing: [], since: "seq" },
  timeline_events: {
    key: idOf("event_id"),
    changing: [
      always("seq", "updated_at", "status", "llm_interaction_id", "mcp_interaction_id"),
      group("content"),
      group("metadata"),
    ],
    since: "seq",
  },
  approvals: {
    key: idOf("approval_id"),
    changing: [always("state", "decided_at", "decided_by", "reason")],
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
      always(
        "status",
        "error_message",
        "started_at",
        "completed_at",
        "prompt_hash",
        "total_score",
        "failure_tags",
      ),
      group("score_analysis", "tool_improvement_report"),
    ],
    since: "kept",
  },
};
