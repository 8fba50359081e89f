import type { DatabaseService } from "#shared/database/service-roles.ts";

/** `true` means every column, also those that a later migration adds; otherwise these columns only. */
type Columns = true | readonly string[];

/** What a service's role may do with a table. Nothing else; TRUNCATE and DDL never. */
export interface TableGrants {
  readonly select?: Columns;
  readonly insert?: Columns;
  readonly update?: Columns;
  readonly delete?: true;
}

/**
 * How the rows of a table go: `session` rows are deleted with their session, by foreign keys that cascade; `own` rows are
 * deleted by what `by` names; `kept` rows stay, for a reason.
 */
export type PurgeRule =
  | { readonly kind: "session" }
  | { readonly kind: "own"; readonly by: string }
  | { readonly kind: "kept"; readonly because: string };

export interface TableRules {
  readonly grants: Readonly<Partial<Record<DatabaseService, TableGrants>>>;
  readonly purge: PurgeRule;
}

const READ = { select: true } as const;
const EVERYONE_READS = { api: READ, executor: READ, "tool-runner": READ, notifier: READ } as const;
const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;

/**
 * Every table: what each service's role may do with it, and how its rows go. `migrate` makes the database match this after
 * the migrations, and a test compares what each role can do with it. A new table or column needs a row here and nothing
 * else. Services of two versions run side by side during an upgrade, so take a privilege away only in the version after the
 * last one that needs it.
 *
 * A lock (`FOR UPDATE`, `FOR SHARE`) needs UPDATE on at least one column of the table. What needs more than a service may
 * have is a function of the owner (`owned-functions.ts`). Nobody may update or delete `events`.
 */
export const TABLES: Readonly<Record<string, TableRules>> = {
  alert_sessions: {
    grants: {
      api: {
        select: true,
        insert: true,
        update: ["status", "completed_at", "error_message", "error_code", "deleted_at"],
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
      "tool-runner": { select: ["session_id", "status", "deleted_at", "resolved_config"] },
      notifier: { select: ["session_id", "status", "deleted_at", "chain_id", "owner_subject", "teams"] },
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
          "not_before",
          "last_seq",
          "last_interaction_at",
          "inbox_seq",
          "events_purged_at",
          "erase_requested_at",
        ],
      },
      executor: {
        select: true,
        update: [
          "lease_owner",
          "lease_epoch",
          "lease_expires_at",
          "attempts",
          "not_before",
          "waiting_for",
          "waiting_since",
          "paused_ms",
          "interruptions",
          "last_seq",
          "last_interaction_at",
          ...TOKENS,
        ],
      },
      "tool-runner": { select: ["session_id", "lease_epoch", "cancel_requested_at"] },
      notifier: { select: ["session_id", "last_seq", "events_purged_at"] },
    },
    purge: { kind: "session" },
  },
  idempotency_keys: {
    grants: { api: { select: true, insert: true, update: true, delete: true } },
    purge: { kind: "own", by: "the api's clean-up, once a key has expired" },
  },
  stages: {
    grants: {
      api: READ,
      executor: {
        select: true,
        insert: true,
        update: ["status", "completed_at", "duration_ms", "error_message", "error_code"],
      },
      "tool-runner": READ,
    },
    purge: { kind: "session" },
  },
  agent_executions: {
    grants: {
      api: READ,
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
          "seq",
          ...TOKENS,
        ],
      },
      "tool-runner": {
        select: ["execution_id", "session_id", "stage_id", "agent_name", "agent_index", "iteration_state"],
      },
    },
    purge: { kind: "session" },
  },
  messages: { grants: { api: READ, executor: { select: true, insert: true } }, purge: { kind: "session" } },
  llm_interactions: {
    grants: { api: READ, executor: { select: true, insert: true } },
    purge: { kind: "session" },
  },
  mcp_interactions: {
    grants: { api: READ, executor: { select: true, insert: true } },
    purge: { kind: "session" },
  },
  timeline_events: {
    grants: {
      api: READ,
      executor: {
        select: true,
        insert: true,
        update: ["status", "content", "updated_at", "seq", "llm_interaction_id", "mcp_interaction_id"],
      },
      notifier: { select: ["event_id", "session_id", "status", "created_at"] },
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
  tool_calls: {
    grants: {
      api: READ,
      // It claims the ids of calls that must not run any more.
      executor: { select: true, insert: true },
      "tool-runner": {
        select: true,
        insert: true,
        update: ["state", "result", "is_error", "failure", "completed_at", "alive_until"],
      },
    },
    purge: { kind: "session" },
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
  chats: { grants: { api: READ }, purge: { kind: "session" } },
  chat_user_messages: { grants: { api: READ }, purge: { kind: "session" } },
  api_keys: {
    // Keys are added and revoked as the owner, by the command line.
    grants: { api: READ, notifier: READ },
    purge: { kind: "kept", because: "the audit log names keys by their id" },
  },
  ws_tickets: {
    grants: {
      // UPDATE only for the lock with which expired ones are taken.
      api: { select: true, insert: true, update: ["expires_at"], delete: true },
      notifier: { select: true, delete: true },
    },
    purge: { kind: "own", by: "the notifier that redeems one, or the api once it has expired" },
  },
  audit_log: {
    grants: {
      api: { select: true, insert: true },
      executor: { insert: true },
      "tool-runner": { insert: true },
      notifier: { insert: true },
    },
    purge: { kind: "kept", because: "it must outlive what it records; only the owner can delete from it" },
  },
  schema_migrations: {
    grants: EVERYONE_READS,
    purge: { kind: "kept", because: "it names the migrations of this database" },
  },
  schema_support: {
    grants: EVERYONE_READS,
    purge: { kind: "kept", because: "its only row says which versions can use the schema" },
  },
};
