import { escapeIdentifier as quoted } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { prepareRoles } from "#shared/database/schema/prepare-roles.ts";
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

/**
 * Creates the owner or gives it this password, and makes the database of the connection belong to it: then it may create everything in
 * it that `migrate` does.
 */
export async function prepareOwner(admin: Queryable, password: string): Promise<void> {
  await prepareRoles(admin, [{ name: OWNER_ROLE, password }]);
  const [database] = await selectRows(admin, parsePlace, PLACE, [OWNER_ROLE]);
  if (database === undefined || database.is_owned) return;
  // A role that is no superuser can give something only to a role of which it is a member.
  if (!database.is_superuser) await admin.query(`GRANT ${OWNER_ROLE} TO CURRENT_USER`);
  await admin.query(`ALTER DATABASE ${quoted(database.name)} OWNER TO ${OWNER_ROLE}`);
}
