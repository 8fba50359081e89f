import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of the search (migration 23), which the api's sweeper fills; the api reads them, and the executor the texts. */
export const SEARCH_TABLES = {
  search_progress: {
    grants: { api: { select: true, insert: true, update: ["indexed_seq", "is_complete"] } },
    purge: { kind: "session" },
  },
  session_texts: {
    grants: { api: { select: true, insert: true }, executor: { select: true } },
    purge: { kind: "session" },
  },
  timeline_words: {
    grants: { api: { select: true, insert: true, delete: true } },
    purge: { kind: "session" },
  },
} as const satisfies Record<string, TableRules>;
