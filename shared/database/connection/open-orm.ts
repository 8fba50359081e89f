import pg, { type ClientBase } from "pg";
import { DataSource, EntitySchema, type MigrationInterface } from "typeorm";
import { firstTls } from "#shared/database/connection/connect-client.ts";
import { requireDatabaseAddress } from "#shared/database/connection/database-address.ts";
import { limitSession, NO_LIMITS } from "#shared/database/connection/statement-limits.ts";
import {
  DATABASE_TIMEOUTS,
  connectionBasics,
  connectionSettings,
  type DatabaseOptions,
} from "#shared/database/connection/open-database.ts";
import { ENTITY_TABLES } from "#shared/database/entities.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "#shared/database/schema/migrations/all-migrations.ts";
import { RediallingPool } from "#shared/database/connection/redialling-pool.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/**
 * Connects the entities of the database, once. The caller destroys the data source. Throws database errors, and TerminalError for a URL that
 * cannot be used.
 */
export async function openOrm(options: DatabaseOptions): Promise<DataSource> {
  const { url, applicationName, poolSize, log } = options;
  const address = requireDatabaseAddress(url);
  return firstTls(address, async (ssl) =>
    new DataSource({
      ...SOURCE,
      applicationName,
      poolSize,
      connectTimeoutMS: options.queueTimeoutMs ?? DATABASE_TIMEOUTS.queueMs,
      poolErrorHandler: warnOfLostConnection(log),
      entities: ENTITY_TABLES.map((table) => new EntitySchema(asEntity(table))),
      extra: connectionSettings(options, address, ssl),
    }).initialize(),
  );
}

/** Opens a database for these migrations: without statement and lock timeouts. The caller destroys the data source. */
export async function openForMigrations(
  url: string,
  log: Logger,
  migrations: readonly (new () => MigrationInterface)[] = MIGRATIONS,
): Promise<DataSource> {
  const address = requireDatabaseAddress(url);
  return firstTls(address, async (ssl) =>
    new DataSource({
      ...SOURCE,
      applicationName: "tarsy-migrations",
      poolSize: 2,
      connectTimeoutMS: DATABASE_TIMEOUTS.queueMs,
      poolErrorHandler: warnOfLostConnection(log),
      migrations: [...migrations],
      migrationsTableName: MIGRATIONS_TABLE,
      extra: {
        ...connectionBasics(address, ssl),
        // A role may have limits for its statements, which a migration may exceed.
        onConnect: (client: ClientBase) => limitSession(client, NO_LIMITS),
      },
    }).initialize(),
  );
}

/** What TypeORM needs of a table of which whole rows are read. */
function asEntity({ name, columns }: (typeof ENTITY_TABLES)[number]) {
  const shown = Object.entries(columns).filter(([, { hidden }]) => hidden !== true);
  return { name, tableName: name, columns: Object.fromEntries(shown) };
}

// TypeORM reads only some parts of a URL, so what the driver needs is in `extra`.
// TypeORM would look for the driver by name at run time, where a bundle has no packages.
const SOURCE = {
  type: "postgres",
  driver: { ...pg, Pool: RediallingPool },
  installExtensions: false,
} as const;

/** Without a handler, a restart of Postgres would end the process. */
function warnOfLostConnection(log: Logger): (error: unknown) => void {
  return (error) => log.warn({ error: errorMessage(error) }, "Postgres connection lost");
}
