import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;
const EVERYONE_READS = { api: READ, executor: READ, "tool-runner": READ, notifier: READ } as const;

/** The tables about the schema itself. */
export const SCHEMA_TABLES = {
  schema_migrations: {
    grants: EVERYONE_READS,
    purge: { kind: "kept", because: "it names the migrations of this database" },
  },
  schema_support: {
    grants: EVERYONE_READS,
    purge: { kind: "kept", because: "its only row says which versions can use the schema" },
  },
} as const satisfies Record<string, TableRules>;
