import type { DataSource, Migration, MigrationInterface } from "typeorm";
import { applyGrants } from "#shared/database/schema/apply-grants.ts";
import { checkSchemaSupport } from "#shared/database/schema/check-schema-support.ts";
import { MIGRATIONS } from "#shared/database/schema/migrations/all-migrations.ts";
import { createPastViews } from "#shared/database/past/past-views.ts";
import { openForMigrations } from "#shared/database/connection/open-orm.ts";
import { limitRoles } from "#shared/database/schema/limit-roles.ts";
import { NO_LIMITS } from "#shared/database/connection/statement-limits.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { DatabaseService } from "#shared/database/schema/service-roles.ts";

/** An arbitrary number, the same in every process that migrates this schema. */
const MIGRATION_LOCK = 7_241_903_358;

/**
 * Runs the outstanding migrations of the database at `url`, whose user owns the tables, and then gives the roles of the
 * services what is declared for them. An advisory lock makes any number of concurrent calls safe. Resolves with the services
 * whose role exists. Throws TerminalError `unusable_schema` for a schema that this version cannot use, or the database's error;
 * a failed migration leaves the schema as it was.
 */
export async function migrate(
  { url }: { readonly url: string },
  log: Logger,
  migrations: readonly (new () => MigrationInterface)[] = MIGRATIONS,
): Promise<readonly DatabaseService[]> {
  // A migration, or waiting for another replica's, may exceed the normal statement and lock timeouts.
  const db = await openForMigrations(url, log, migrations);
  try {
    const lockHolder = db.createQueryRunner();
    // A lock of a transaction: one of a session would stay behind in a pooler's connection.
    await lockHolder.startTransaction();
    for (const statement of WAIT_WITHOUT_LIMIT) await lockHolder.query(statement);
    await lockHolder.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await checkSchemaSupport(db);
    const applied = await runOutstanding(db, log);
    const last = applied.at(-1);
    if (last !== undefined) log.info({ count: applied.length, last: last.name }, "migrations applied");
    const services = await db.transaction(async (transaction) => {
      await createPastViews(transaction);
      return applyGrants(transaction);
    });
    await limitRoles(db, services, log);
    await lockHolder.commitTransaction();
    await lockHolder.release();
    return services;
  } finally {
    // After a failure, closing the connection releases the lock.
    await db.destroy();
  }
}

const WAIT_WITHOUT_LIMIT = Object.keys(NO_LIMITS).map((name) => `SET LOCAL ${name} = 0`);
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
