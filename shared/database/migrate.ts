import { Type } from "typebox";
import type { DataSource, Migration } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { checkSchemaSupport } from "#shared/database/check-schema-support.ts";
import { openWithoutTimeouts } from "#shared/database/open-database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";

/** An arbitrary number, the same in every process that migrates this schema. */
const MIGRATION_LOCK = 7_241_903_358;

/**
 * Runs the outstanding migrations under an advisory lock, so that replicas that start together migrate once. Throws
 * TerminalError `schema_too_new` for a schema that this version cannot use, or the database's error; a failed migration
 * leaves the schema as it was.
 */
export async function migrate(db: DataSource, log: Logger): Promise<void> {
  // A migration, or waiting for another replica's, may exceed the normal statement and lock timeouts.
  const withoutTimeouts = await openWithoutTimeouts(db);
  try {
    const lockHolder = withoutTimeouts.createQueryRunner();
    await lockHolder.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await checkSchemaSupport(withoutTimeouts);
    const applied = await runOutstanding(withoutTimeouts, log);
    for (const { name } of applied) log.info({ migration: name }, "migration applied");
    await lockHolder.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    await lockHolder.release();
  } finally {
    // After a failure, closing the connection releases the lock.
    await withoutTimeouts.destroy();
  }
}

const DEADLOCK = "40P01";
const MAX_DEADLOCKS = 10;

/** Repeats a migration that deadlocked with the statements of running services: it was rolled back as a whole. */
async function runOutstanding(db: DataSource, log: Logger): Promise<Migration[]> {
  for (let deadlocks = 1; ; deadlocks += 1) {
    try {
      return await db.runMigrations({ transaction: "each" });
    } catch (error) {
      const isDeadlock = error instanceof Error && "code" in error && error.code === DEADLOCK;
      if (!isDeadlock || deadlocks === MAX_DEADLOCKS) throw error;
      log.warn({ error: errorMessage(error) }, "migration deadlocked with a running service: repeating it");
    }
  }
}

const SCHEMA_POLL_MS = 250;

/**
 * Waits until the api has applied every migration that this process knows, so that services may start in any order.
 * Throws the signal's reason if it aborts first, or TerminalError `schema_too_new` for a schema that this version cannot
 * use.
 */
export async function waitForSchema(db: DataSource, log: Logger, signal: AbortSignal): Promise<void> {
  let isLogged = false;
  while (await hasOutstandingMigrations(db)) {
    if (!isLogged) log.info("waiting for the api to migrate the database");
    isLogged = true;
    await pause(SCHEMA_POLL_MS, signal);
  }
  await checkSchemaSupport(db);
}

const HAS_MIGRATIONS_TABLE = "SELECT to_regclass('schema_migrations') IS NOT NULL AS present";
const parsePresent = compileParser("migrations table", Type.Object({ present: Type.Boolean() }));

async function hasOutstandingMigrations(db: DataSource): Promise<boolean> {
  // TypeORM's showMigrations() creates its table as a side effect, and two services that do so concurrently collide.
  const [table] = await selectRows(db, parsePresent, HAS_MIGRATIONS_TABLE, []);
  if (table?.present !== true) return true;
  return db.showMigrations();
}
