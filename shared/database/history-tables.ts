import type { TableRules } from "#shared/database/table-rules.ts";

/** The table of what commits overwrite, which triggers write and views read, both with the rights of the owner; part of TABLES in `grants.ts`. */
export const HISTORY_TABLES = {
  row_history: {
    grants: {},
    purge: { kind: "own", by: "what removes the session, and a trigger for what is left" },
  },
} as const satisfies Record<string, TableRules>;
