import { escapeIdentifier, escapeLiteral } from "pg";
import { settingStatements } from "#shared/database/schema/limit-roles.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { scramVerifier } from "#shared/database/schema/scram-verifier.ts";
import {
  DATABASE_SERVICES,
  SERVICE_ROLES,
  type DatabaseService,
} from "#shared/database/schema/service-roles.ts";

/** The password of each service's role. */
export type ServicePasswords = Readonly<Record<DatabaseService, string>>;

/** What a role of TARSy may do on the server, also a role that an operator created. */
const ONLY = "LOGIN NOCREATEDB NOCREATEROLE";

/**
 * Creates the roles of the services, or gives existing ones these passwords, with the settings of their sessions. Their privileges are given by `migrate`. `admin`
 * must be able to create roles.
 */
export async function prepareServiceRoles(admin: Queryable, passwords: ServicePasswords): Promise<void> {
  await prepareRoles(
    admin,
    DATABASE_SERVICES.map((service) => ({ name: SERVICE_ROLES[service], password: passwords[service] })),
  );
  await admin.query(DATABASE_SERVICES.flatMap(settingStatements).join(";\n"));
}

/** Creates roles that may log in and nothing else, or gives existing ones these passwords. */
export async function prepareRoles(
  admin: Queryable,
  roles: readonly { readonly name: string; readonly password: string }[],
): Promise<void> {
  const statements = roles.map(({ name, password }) => {
    const role = escapeIdentifier(name);
    const isMissing = `NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)})`;
    return `DO $role$ BEGIN IF ${isMissing} THEN CREATE ROLE ${role}; END IF; END $role$;
ALTER ROLE ${role} ${ONLY} PASSWORD ${escapeLiteral(scramVerifier(password))}`;
  });
  await admin.query(statements.join(";\n"));
}
