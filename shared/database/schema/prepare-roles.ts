import { escapeIdentifier, escapeLiteral } from "pg";
import { settingStatements } from "#shared/database/schema/limit-roles.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import {
  DATABASE_SERVICES,
  SERVICE_ROLES,
  type DatabaseService,
} from "#shared/database/schema/service-roles.ts";
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

const ITERATIONS = 4_096;
const LENGTH = 32;

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

/** What Postgres stores of a password (RFC 5803): given instead of the password, no log of the server can contain that. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, ITERATIONS, LENGTH, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
