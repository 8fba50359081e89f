import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SERVICE_ROLES, type DatabaseService } from "#shared/database/schema/service-roles.ts";
import type { Logger } from "#shared/service/logger.ts";

const parseRole = compileParser(
  "role of the connection",
  Type.Object({ name: Type.String(), is_superuser: Type.Boolean(), owns: Type.Boolean() }),
);

const ROLE = `
SELECT current_user::text AS name, current_setting('is_superuser')::boolean AS is_superuser,
       coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('events')), false) AS owns`;

/** Warns once if the service's connection may do more than its role should: as the owner of the tables or a superuser. */
export async function warnOfOwner(db: Queryable, service: DatabaseService, log: Logger): Promise<void> {
  const [role] = await selectRows(db, parseRole, ROLE, []);
  if (role === undefined || (!role.owns && !role.is_superuser)) return;
  const what = role.is_superuser ? "a superuser" : "the owner of its tables";
  log.warn(
    `${service} uses the database as ${role.name}, ${what}, and so can change and delete everything in it: give it its own role ${SERVICE_ROLES[service]} (docs/operations.md, "Database")`,
  );
}
