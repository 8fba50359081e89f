import { setTimeout as wait } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { openPatiently } from "#shared/database/open-database.ts";
import type { Logger } from "#shared/logger.ts";

/** Any number will do, as long as everyone who migrates this schema takes the same. */
const MIGRATION_LOCK = 7_241_903_358;

/**
 * Runs the outstanding migrations under an advisory lock, so that replicas that start together migrate once. Throws
 * whatever the database answers; a failed migration leaves the schema as it was.
 */
export async function migrate(db: DataSource, log: Logger): Promise<void> {
  // A migration, and waiting for another replica's, may take longer than any ordinary statement.
  const patient = await openPatiently(db);
  try {
    const holder = patient.createQueryRunner();
    await holder.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const done = await patient.runMigrations({ transaction: "each" });
    for (const { name } of done) log.info({ migration: name }, "migration applied");
    // The lock goes with its connection.
    await holder.release();
  } finally {
    await patient.destroy();
  }
}

const SCHEMA_POLL_MS = 250;

/**
 * Waits until the api has brought the schema up to what this program knows, so that services may start in any order.
 * Throws the signal's reason if it aborts first.
 */
export async function waitForSchema(db: DataSource, log: Logger, signal: AbortSignal): Promise<void> {
  let announced = false;
  while (await hasOutstandingMigrations(db)) {
    if (!announced) log.info("waiting for the api to migrate the database");
    announced = true;
    await wait(SCHEMA_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function hasOutstandingMigrations(db: DataSource): Promise<boolean> {
  // TypeORM's showMigrations() creates its table as a side effect, and two services doing so at once collide.
  const table: unknown = await db.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS present");
  if (!isPresent(table)) return true;
  return db.showMigrations();
}

function isPresent(rows: unknown): boolean {
  return Array.isArray(rows) && rows.some((row: unknown) => JSON.stringify(row) === '{"present":true}');
}
