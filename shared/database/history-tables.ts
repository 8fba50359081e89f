import type { TableRules } from "#shared/database/table-rules.ts";

/** By triggers, with what the service writes; the number of a row is that of the events at the end of its transaction. */
const KEEP = { select: true, insert: true, update: ["seq"] } as const;

/** The table of what commits overwrite; part of TABLES in `grants.ts`. */
export const HISTORY_TABLES = {
  row_history: {
    grants: { api: KEEP, executor: KEEP },
    purge: { kind: "own", by: "what removes the session, and a trigger for what is left" },
  },
} as const satisfies Record<string, TableRules>;
