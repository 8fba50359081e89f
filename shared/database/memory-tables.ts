import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of what was learned from sessions, and of who was told of it; part of TABLES in `grants.ts`. */
export const MEMORY_TABLES = {
  investigation_memories: {
    grants: {
      api: {
        select: true,
        update: ["content", "category", "valence", "rating", "deprecation", "updated_at"],
        delete: true,
      },
      executor: {
        select: true,
        insert: [
          "memory_id",
          "content",
          "category",
          "valence",
          "base_confidence",
          "origin",
          "rating",
          "embedding",
          "embedding_model",
          "source_session_id",
          "owner_subject",
          "teams",
          "alert_type",
          "chain_id",
        ],
        update: [
          "base_confidence",
          "seen_count",
          "last_seen_at",
          "updated_at",
          "deprecation",
          "embedding",
          "embedding_model",
        ],
      },
    },
    purge: { kind: "kept", because: "lessons outlive their sessions; operators delete them by the api" },
  },
  waiting_feedback: {
    grants: { api: { select: true, insert: true, delete: true } },
    purge: { kind: "session" },
  },
  session_memories: {
    grants: { api: { select: true, insert: true }, executor: { select: true, insert: true } },
    purge: { kind: "session" },
  },
} as const satisfies Record<string, TableRules>;
