import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { checkSchemaSupport } from "#shared/database/schema/check-schema-support.ts";
import { checkTimeScale } from "#shared/database/schema/check-time-scale.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "#shared/database/schema/migrations/all-migrations.ts";
import { warnOfMissingLimits } from "#shared/database/schema/limit-roles.ts";
import { missingPrivilege } from "#shared/database/schema/missing-privilege.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SERVICE_ROLES, type DatabaseService } from "#shared/database/schema/service-roles.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";

const SCHEMA_POLL_MS = 250;
/** Repeated, so that the end of the log of a service that does not get ready says why. */
const LOG_EVERY_MS = 30_000;

/**
 * Waits until `migrate` has applied every migration that this process knows and has given the connection's role what is
 * declared for the service, so that everything may start in any order. Warns if the role may do more than that. Throws the
 * signal's reason if it aborts first, or TerminalError `unusable_schema` for a schema that this version cannot use,
 * `other_time_scale` for a database of other durations.
 */
export async function waitForSchema(
  db: Queryable,
  service: DatabaseService,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  await checkTimeScale(db);
  let loggedAt = -Infinity;
  for (;;) {
    // Also while something is missing: a newer version may have taken it away.
    await checkSchemaSupport(db);
    const missing = await missingPart(db, service);
    if (missing === undefined) break;
    if (performance.now() - loggedAt >= LOG_EVERY_MS) {
      loggedAt = performance.now();
      log.info(
        { missing },
        "waiting for `migrate`, which `npm start` and compose run by themselves; otherwise run it with the owner's DATABASE_URL: npm run migrate",
      );
    }
    await pause(SCHEMA_POLL_MS, signal);
  }
  await warnOfOwner(db, service, log);
  await warnOfMissingLimits(db, log);
}

/** Before the grants, a role may not even read the table. */
const HAS_TABLE = `
SELECT coalesce(has_table_privilege(to_regclass('${MIGRATIONS_TABLE}'), 'SELECT'), false) AS present`;
const parsePresent = compileParser("migrations table", Type.Object({ present: Type.Boolean() }));

const APPLIED = `SELECT count(*)::int AS applied FROM ${MIGRATIONS_TABLE} WHERE name = ANY($1::text[])`;
const parseApplied = compileParser("applied migrations", Type.Object({ applied: Type.Integer() }));

/** What the service waits for, in words; undefined if nothing. */
async function missingPart(db: Queryable, service: DatabaseService): Promise<string | undefined> {
  const [table] = await selectRows(db, parsePresent, HAS_TABLE, []);
  if (table?.present !== true) return "the schema";
  const [row] = await selectRows(db, parseApplied, APPLIED, [
    MIGRATIONS.map((Migration) => new Migration().name),
  ]);
  const outstanding = MIGRATIONS.length - (row?.applied ?? 0);
  if (outstanding > 0) return `${outstanding} migrations`;
  return missingPrivilege(db, service);
}

const ROLE = `
SELECT current_user::text AS name, current_setting('is_superuser')::boolean AS is_superuser,
       coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('events')), false) AS owns`;
const parseRole = compileParser(
  "role of the connection",
  Type.Object({ name: Type.String(), is_superuser: Type.Boolean(), owns: Type.Boolean() }),
);

/** Warns once if the service's connection may do more than its role should: as the owner of the tables or a superuser. */
async function warnOfOwner(db: Queryable, service: DatabaseService, log: Logger): Promise<void> {
  const [role] = await selectRows(db, parseRole, ROLE, []);
  if (role === undefined || (!role.owns && !role.is_superuser)) return;
  const what = role.is_superuser ? "a superuser" : "the owner of its tables";
  log.warn(
    `${service} uses the database as ${role.name}, ${what}, and so can change and delete everything in it: give it its own role ${SERVICE_ROLES[service]} (docs/operations.md, "Database")`,
  );
}
