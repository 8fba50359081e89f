import { table, READ } from "#shared/database/tables/table.ts";

/**
 * Which versions can use the schema. Only a migration that removes or changes what older processes use raises the number
 * (docs/development.md).
 */
export const SCHEMA_SUPPORT = table({
  name: "schema_support",
  columns: {
    only_row: { type: "boolean", primary: true, default: "true", ddl: "CHECK (only_row)" },
    /** The number of a migration that a process must know; `check-schema-support.ts` reads it. */
    needs_migration: { type: "integer" },
  },
  grants: { api: READ, executor: READ, "tool-runner": READ, notifier: READ },
  purge: { kind: "kept", because: "its only row says which versions can use the schema" },
  afterwards: "INSERT INTO schema_support (needs_migration) VALUES (0);",
});
