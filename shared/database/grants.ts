import { ACCESS_TABLES } from "#shared/database/access-tables.ts";
import { BUDGET_TABLES } from "#shared/database/budget-tables.ts";
import { ALERT_GROUP_TABLES } from "#shared/database/alert-group-tables.ts";
import { HISTORY_TABLES } from "#shared/database/history-tables.ts";
import { MCP_TABLES } from "#shared/database/mcp-tables.ts";
import { MEMORY_TABLES } from "#shared/database/memory-tables.ts";
import { NOTIFIER_COLUMNS } from "#shared/database/notifier-columns.ts";
import { REVIEW_COLUMNS } from "#shared/database/review-columns.ts";
import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { COUNTER_COLUMNS } from "#shared/database/session-counters.ts";
import { NOTIFICATION_TABLES } from "#shared/database/notification-tables.ts";
import { PARKING_COLUMNS } from "#shared/database/parking-columns.ts";
import { PERSON_TABLES } from "#shared/database/person-tables.ts";
import { SCHEMA_TABLES } from "#shared/database/schema-tables.ts";
import { SEARCH_TABLES } from "#shared/database/search-tables.ts";
import { TEXT_TABLES } from "#shared/database/text-tables.ts";
import { TOOL_TABLES } from "#shared/database/tool-tables.ts";
import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;
const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;
const LEASE = ["lease_owner", "lease_epoch", "lease_expires_at", "place_id", "place_epoch"] as const;
const UPSERT = { select: true, insert: true, update: true } as const;

/**
 * Every table: what each service's role may do with it, and how its rows go. `migrate` makes the database match this after
 * the migrations, and a test compares what each role can do with it. A new table or column needs a row here and nothing
 * else. Services of two versions run side by side during an upgrade, so take a privilege away only in the version after the
 * last one that needs it.
 * A lock (`FOR UPDATE`, `FOR SHARE`) needs UPDATE on at least one column of the table. What needs more than a service may
 * have is a function of the owner (`owned-functions.ts`). No role may update or delete `events`.
 */
export const TABLES: Readonly<Record<string, TableRules>> = {
  alert_sessions: {
    grants: {
      api: {
        select: true,
        insert: true,
        update: ["status", "completed_at", "error_message", "error_code", "deleted_at", ...REVIEW_COLUMNS],
      },
      executor: {
        select: true,
        update: [
          "status",
          "started_at",
          "completed_at",
          "pod_id",
          "current_stage_index",
          "current_stage_id",
          "degraded",
          "error_message",
          "error_code",
          "final_analysis",
          "executive_summary",
          "executive_summary_error",
        ],
      },
      "tool-runner": {
        select: ["session_id", "status", "deleted_at", "resolved_config", "mask_key", "runbook_url"],
      },
      notifier: { select: NOTIFIER_COLUMNS.alert_sessions },
    },
    purge: { kind: "own", by: "the api's clean-up, after RETENTION_DAYS and PURGE_DAYS, or on request" },
  },
  session_runtime: {
    grants: {
      api: {
        select: true,
        insert: true,
        update: [
          "cancel_requested_at",
          "cancel_actor",
          "cancelled_follow_ups",
          "not_before",
          "last_seq",
          "last_interaction_at",
          "inbox_seq",
          "events_purged_at",
          "erase_requested_at",
          "chat_message_count",
          ...PARKING_COLUMNS,
        ],
      },
      executor: {
        select: true,
        update: [
          ...LEASE,
          ...PARKING_COLUMNS,
          "parks_epoch",
          "attempts",
          "not_before",
          "waiting_for",
          "waiting_since",
          "paused_ms",
          "interruptions",
          "cancel_requested_at",
          "cancelled_follow_ups",
          "inbox_seq",
          "last_seq",
          "last_interaction_at",
          ...TOKENS,
          ...COUNTER_COLUMNS,
        ],
      },
      "tool-runner": {
        select: [
          "session_id",
          "lease_epoch",
          "lease_expires_at",
          "cancel_requested_at",
          "cancelled_follow_ups",
        ],
      },
      notifier: { select: ["session_id", "last_seq", "events_purged_at", "has_summary_stage"] },
    },
    purge: { kind: "session" },
  },
  ...SEARCH_TABLES,
  idempotency_keys: {
    grants: { api: { select: true, insert: true, update: true, delete: true } },
    purge: { kind: "own", by: "the api's clean-up, once a key has expired" },
  },
  stages: {
    grants: {
      api: { select: true, insert: true },
      executor: {
        select: true,
        insert: true,
        update: [
          "status",
          "completed_at",
          "duration_ms",
          "error_message",
          "error_code",
          "actions_executed",
          "actions_claimed",
        ],
      },
      "tool-runner": READ,
      notifier: { select: ["stage_id", "session_id", "stage_index", "stage_type"] },
    },
    purge: { kind: "session" },
  },
  agent_executions: {
    grants: {
      api: { select: true, insert: true },
      executor: {
        select: true,
        insert: true,
        update: [
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
          "seq",
          ...TOKENS,
          ...COST_SUMS,
        ],
      },
      "tool-runner": {
        select: [
          "execution_id",
          "session_id",
          "stage_id",
          "parent_execution_id",
          "agent_name",
          "agent_index",
          "iteration_state",
        ],
      },
      notifier: { select: ["execution_id", "stage_id", "session_id", "parent_execution_id", "agent_index"] },
    },
    purge: { kind: "session" },
  },
  messages: {
    grants: {
      // Of a fork.
      api: { select: true, insert: true },
      // A summary replaces the shown part of a large result before a model is sent it.
      executor: { select: true, insert: true, update: ["content", "seq"] },
    },
    purge: { kind: "session" },
  },
  llm_interactions: {
    grants: { api: { select: true, insert: true }, executor: { select: true, insert: true } },
    purge: { kind: "session" },
  },
  session_model_usage: {
    // The api's for forks.
    grants: { api: { select: true, insert: true }, executor: UPSERT },
    purge: { kind: "session" },
  },
  mcp_interactions: {
    grants: { api: { select: true, insert: true }, executor: { select: true, insert: true } },
    purge: { kind: "session" },
  },
  timeline_events: {
    grants: {
      api: { select: true, insert: true },
      executor: {
        select: true,
        insert: true,
        update: [
          "status",
          "content",
          "metadata",
          "updated_at",
          "seq",
          "llm_interaction_id",
          "mcp_interaction_id",
        ],
      },
      notifier: { select: NOTIFIER_COLUMNS.timeline_events },
    },
    purge: { kind: "session" },
  },
  events: {
    grants: {
      api: { select: true, insert: true },
      executor: { select: true, insert: true },
      notifier: READ,
    },
    purge: { kind: "session" },
  },
  masked_values: {
    // A lock on conflicts is not needed: rows are inserted only if there is none.
    grants: {
      // It masks the reasons of decisions with what the session had masked.
      api: { select: true, insert: true },
      executor: { insert: true },
      "tool-runner": { select: true, insert: true },
    },
    purge: { kind: "session" },
  },
  ...TOOL_TABLES,
  ...TEXT_TABLES,
  ...HISTORY_TABLES,
  alert_notifications: {
    // UPDATE only for the lock with which old ones are taken.
    grants: { api: { select: true, insert: true, update: ["received_at"], delete: true } },
    purge: { kind: "own", by: "the api's clean-up, 30 days after they were received" },
  },
  executors: {
    grants: {
      api: READ,
      executor: { select: true, insert: true, update: ["seen_at", "stopped_at"], delete: true },
    },
    purge: { kind: "own", by: "an executor that stops, a day after the last sign of life" },
  },
  llm_circuits: {
    grants: { api: READ, executor: { select: true, insert: true, update: true, delete: true } },
    purge: {
      kind: "own",
      by: "an executor whose call the provider answers, or one that reports a failure a day later",
    },
  },
  ...MCP_TABLES,
  ...ACCESS_TABLES,
  ...PERSON_TABLES,
  ...NOTIFICATION_TABLES,
  ...MEMORY_TABLES,
  ...BUDGET_TABLES,
  ...ALERT_GROUP_TABLES,
  ...SCHEMA_TABLES,
};
