import { Baseline } from "#shared/database/schema/migrations/0001-baseline.ts";

/** Every migration, oldest first. */
export const MIGRATIONS = [Baseline] as const;

/** The table in which TypeORM records them by name. */
export const MIGRATIONS_TABLE = "schema_migrations";
