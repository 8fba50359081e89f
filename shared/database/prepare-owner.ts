import { escapeIdentifier as quoted } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isDatabaseSlow } from "#shared/database/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { pastSchemaOf } from "#shared/database/past-views.ts";
import { prepareRoles } from "#shared/database/prepare-roles.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** Owns the database with everything in it; `migrate` connects as this role. */
export const OWNER_ROLE = "tarsy_owner";

const parsePlace = compileParser(
  "database",
  Type.Object({ name: Type.String(), is_owned: Type.Boolean(), is_superuser: Type.Boolean() }),
);
const PLACE = `
SELECT datname::text AS name, datdba = $1::regrole AS is_owned, current_setting('is_superuser')::boolean AS is_superuser
FROM pg_database WHERE datname = current_database()`;

const parseSchema = compileParser("schema", Type.Object({ schema: Type.String() }));
const parseObject = compileParser("object", Type.Object({ kind: Type.String(), name: Type.String() }));

/**
 * What an earlier version created as someone else. Sequences follow their tables; the schema with the past comes before its views; what belongs to an extension stays. Every
 * writer locks `alert_sessions` first and then `session_runtime`.
 */
const OTHERS = `
SELECT kind, name FROM (
  SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind,
         oid::regclass::text AS name, oid, 'pg_class'::regclass AS catalog, relowner AS owner,
         array_position(ARRAY['alert_sessions', 'session_runtime'], relname::text) AS rank
  FROM pg_class WHERE relnamespace IN (current_schema()::regnamespace, to_regnamespace($2)) AND relkind IN ('r', 'p', 'v', 'm')
  UNION ALL
  SELECT 'SCHEMA', quote_ident(nspname), oid, 'pg_namespace'::regclass, nspowner, 0
  FROM pg_namespace WHERE oid = to_regnamespace($2)
  UNION ALL
  SELECT 'TYPE', oid::regtype::text, oid, 'pg_type'::regclass, typowner, NULL
  FROM pg_type WHERE typnamespace = current_schema()::regnamespace AND typtype = 'e'
  UNION ALL
  SELECT 'FUNCTION', oid::regprocedure::text, oid, 'pg_proc'::regclass, proowner, NULL
  FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
) AS objects
WHERE owner <> $1::regrole
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = objects.oid AND d.classid = catalog AND d.deptype = 'e')
ORDER BY rank NULLS LAST, name`;

const MAX_TRIES = 10;

/**
 * Creates the owner or gives it this password, and makes the database of the connection and everything in its schema
 * belong to it, also what an earlier version created as a superuser. Services may run meanwhile. Resolves with the number of
 * objects that changed hands.
 */
export async function prepareOwner(admin: Queryable, password: string): Promise<number> {
  await prepareRoles(admin, [{ name: OWNER_ROLE, password }]);
  const [database] = await selectRows(admin, parsePlace, PLACE, [OWNER_ROLE]);
  if (database === undefined) return 0;
  // A role that is no superuser can give something only to a role of which it is a member.
  if (!database.is_superuser) await admin.query(`GRANT ${OWNER_ROLE} TO CURRENT_USER`);
  if (!database.is_owned) {
    await admin.query(`ALTER DATABASE ${quoted(database.name)} OWNER TO ${OWNER_ROLE}`);
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await adoptOthers(admin);
    } catch (error) {
      // A deadlock with the statements of running services, or a long one of theirs: all of it was rolled back.
      const isPassing = isDatabaseSlow(error) || isDatabaseUnavailable(error);
      if (!isPassing || tries === MAX_TRIES) throw error;
    }
  }
}

/** One transaction, because it is one query. */
async function adoptOthers(admin: Queryable): Promise<number> {
  const [place] = await selectRows(admin, parseSchema, "SELECT current_schema() AS schema", []);
  const past = quoted(pastSchemaOf(place?.schema ?? "public"));
  const objects = await selectRows(admin, parseObject, OTHERS, [OWNER_ROLE, past]);
  if (objects.length === 0) return 0;
  await admin.query(
    objects.map(({ kind, name }) => `ALTER ${kind} ${name} OWNER TO ${OWNER_ROLE}`).join(";\n"),
  );
  return objects.length;
}
