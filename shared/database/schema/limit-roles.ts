import { escapeIdentifier } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SERVICE_ROLES, type DatabaseService } from "#shared/database/schema/service-roles.ts";
import {
  SERVICE_SETTINGS,
  STATEMENT_LIMITS,
  type SessionSettings,
} from "#shared/database/connection/statement-limits.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/** The statements that give a service's role its settings, for connections behind a pooler, which takes none from its clients. */
export function settingStatements(service: DatabaseService): string[] {
  return statementsFor(SERVICE_ROLES[service], SERVICE_SETTINGS[service]);
}

function statementsFor(role: string, settings: SessionSettings): string[] {
  return Object.entries(settings).map(
    ([name, value]) => `ALTER ROLE ${escapeIdentifier(role)} SET ${name} = ${value}`,
  );
}

const parseRole = compileParser(
  "settings of a role",
  Type.Object({ role: Type.String(), names: Type.Array(Type.String()) }),
);
const NAMES_OF_ROLES = `
SELECT rolname::text AS role, ARRAY(SELECT split_part(setting, '=', 1) FROM unnest(rolconfig) AS setting) AS names
FROM pg_roles WHERE rolname = ANY($1::text[])`;

/**
 * Gives the roles of the services their settings, if they have no value of their own for one. A role that may not do so, such as the owner
 * of the tables, warns with the statements for one that may.
 */
export async function limitRoles(
  db: Queryable,
  services: readonly DatabaseService[],
  log: Logger,
): Promise<void> {
  const roles = await selectRows(db, parseRole, NAMES_OF_ROLES, [
    services.map((name) => SERVICE_ROLES[name]),
  ]);
  const lacking = services.filter((service) => {
    const role = roles.find((found) => found.role === SERVICE_ROLES[service]);
    return (
      role !== undefined && Object.keys(SERVICE_SETTINGS[service]).some((name) => !role.names.includes(name))
    );
  });
  if (lacking.length === 0) return;
  const statements = lacking.flatMap(settingStatements).join("; ");
  try {
    await db.query(statements, []);
  } catch (error) {
    log.warn(
      { error: errorMessage(error) },
      `the services' roles lack time limits or settings of the planner, which they need behind a connection pooler: run as an administrator of the server (or run database-init): ${statements}`,
    );
  }
}

const parseSession = compileParser(
  "limits of the session",
  Type.Object({ role: Type.String(), statement_timeout: Type.String() }),
);
const SESSION =
  "SELECT current_user::text AS role, current_setting('statement_timeout') AS statement_timeout";

/** Warns if the statements of a connection have no time limit, as behind a pooler where the role has none. */
export async function warnOfMissingLimits(db: Queryable, log: Logger): Promise<void> {
  const [session] = await selectRows(db, parseSession, SESSION, []);
  if (session?.statement_timeout !== "0") return;
  log.warn(
    `statements have no time limit: behind a connection pooler it is that of the role ${session.role}; run as an administrator of the server: ${statementsFor(session.role, STATEMENT_LIMITS).join("; ")}`,
  );
}
