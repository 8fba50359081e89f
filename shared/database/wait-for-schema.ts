import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { checkSchemaSupport } from "#shared/database/check-schema-support.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "#shared/database/migrations/all-migrations.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";

const SCHEMA_POLL_MS = 250;

/**
 * Waits until the api has applied every migration that this process knows, so that services may start in any order.
 * Throws the signal's reason if it aborts first, or TerminalError `schema_too_new` for a schema that this version cannot
 * use.
 */
export async function waitForSchema(db: Queryable, log: Logger, signal: AbortSignal): Promise<void> {
  let isLogged = false;
  while (await hasOutstandingMigrations(db)) {
    if (!isLogged) log.info("waiting for the api to migrate the database");
    isLogged = true;
    await pause(SCHEMA_POLL_MS, signal);
  }
  await checkSchemaSupport(db);
}

const HAS_TABLE = `SELECT to_regclass('${MIGRATIONS_TABLE}') IS NOT NULL AS present`;
const parsePresent = compileParser("migrations table", Type.Object({ present: Type.Boolean() }));

const APPLIED = `SELECT count(*)::int AS applied FROM ${MIGRATIONS_TABLE} WHERE name = ANY($1::text[])`;
const parseApplied = compileParser("applied migrations", Type.Object({ applied: Type.Integer() }));

async function hasOutstandingMigrations(db: Queryable): Promise<boolean> {
  const [table] = await selectRows(db, parsePresent, HAS_TABLE, []);
  if (table?.present !== true) return true;
  const [row] = await selectRows(db, parseApplied, APPLIED, [
    MIGRATIONS.map((Migration) => new Migration().name),
  ]);
  return row === undefined || row.applied < MIGRATIONS.length;
}
