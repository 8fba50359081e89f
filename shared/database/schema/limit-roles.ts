import { escapeIdentifier } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SERVICE_ROLES, type DatabaseService } from "#shared/database/schema/service-roles.ts";
import { STATEMENT_LIMITS } from "#shared/database/connection/statement-limits.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/** The statements that give a role its limits, for connections behind a pooler, which takes none from its clients. */
export function limitStatements(role: string): string[] {
  return Object.entries(STATEMENT_LIMITS).map(
    ([name, ms]) => `ALTER ROLE ${escapeIdentifier(role)} SET ${name} = ${ms}`,
  );
}

const parseRole = compileParser("role without limits", Type.Object({ role: Type.String() }));

/** Of the roles those that have no value of their own for one of the limits. */
const WITHOUT_LIMITS = `
SELECT rolname::text AS role FROM pg_roles
WHERE rolname = ANY($1::text[])
  AND (SELECT count(*) FROM unnest(rolconfig) AS setting WHERE split_part(setting, '=', 1) = ANY($2::text[])) < cardinality($2::text[])
ORDER BY rolname`;

/**
 * Gives the roles of the services their limits, if they have others. A role that may not do so, such as the owner of the tables, warns
 * with the statements for one that may.
 */
export async function limitRoles(
  db: Queryable,
  services: readonly DatabaseService[],
  log: Logger,
): Promise<void> {
  const settings = Object.keys(STATEMENT_LIMITS);
  const roles = services.map((service) => SERVICE_ROLES[service]);
  const lacking = await selectRows(db, parseRole, WITHOUT_LIMITS, [roles, settings]);
  if (lacking.length === 0) return;
  const statements = lacking.flatMap(({ role }) => limitStatements(role)).join("; ");
  try {
    await db.query(statements, []);
  } catch (error) {
    log.warn(
      { error: errorMessage(error) },
      `the services' roles have no time limits, which they need behind a connection pooler: run as an administrator of the server (or run database-init): ${statements}`,
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
    `statements have no time limit: behind a connection pooler it is that of the role ${session.role}; run as an administrator of the server: ${limitStatements(session.role).join("; ")}`,
  );
}
