import { escapeIdentifier as quoted } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import { privilegesOf, type Table } from "#shared/database/tables/table.ts";
import { OWNED_FUNCTIONS } from "#shared/database/functions/owned-functions.ts";
import { pastSchemaOf } from "#shared/database/past/past-views.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import {
  DATABASE_SERVICES,
  SERVICE_ROLES,
  type DatabaseService,
  type OwnedFunction,
} from "#shared/database/schema/service-roles.ts";

/** The services that read sessions as they were. */
const PAST_READERS: ReadonlySet<DatabaseService> = new Set(["api"]);

const parsePlace = compileParser(
  "database and schema",
  Type.Object({ database: Type.String(), schema: Type.String(), roles: Type.Array(Type.String()) }),
);

/** The roles of the services that exist on this server. */
const PLACE = `
SELECT current_database() AS database, current_schema() AS schema,
       ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY($1::text[])) AS roles`;

const parseTable = compileParser("owned table", Type.Object({ name: Type.String() }));

/** What an extension or someone else has put there is not ours to grant. */
const OWN_TABLES = `
SELECT relname::text AS name FROM pg_class
WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S') AND pg_has_role(relowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND classid = 'pg_class'::regclass AND deptype = 'e')
ORDER BY relname`;

/**
 * Creates the owner's functions and gives each service's role exactly what is declared, as the owner of the tables, within
 * the caller's transaction. Roles that do not exist are left out; without any, only PUBLIC loses what it has. Resolves with
 * the services whose role exists.
 */
export async function applyGrants(transaction: Queryable): Promise<readonly DatabaseService[]> {
  const [place] = await selectRows(transaction, parsePlace, PLACE, [Object.values(SERVICE_ROLES)]);
  if (place === undefined) return [];
  const services = DATABASE_SERVICES.filter((service) => place.roles.includes(SERVICE_ROLES[service]));
  const schema = quoted(place.schema);
  const tables = await selectRows(transaction, parseTable, OWN_TABLES, [schema]);
  const names = tables.map(({ name }) => name);
  await transaction.query(
    [
      "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
      ...OWNED_FUNCTIONS.flatMap((owned) => functionStatements(owned, schema, services)),
      ...(services.length === 0 ? [] : roleStatements(quoted(place.database), schema, names, services)),
      ...pastStatements(quoted(pastSchemaOf(place.schema)), services),
    ].join(";\n"),
  );
  return services;
}

/** The type of a function's parameters, which identify it together with its name. */
export function functionSignature({ name, parameters }: Pick<OwnedFunction, "name" | "parameters">): string {
  const types = parameters.split(", ").map((parameter) => parameter.split(" ").slice(1).join(" "));
  return `${name}(${types.join(", ")})`;
}

function functionStatements(
  owned: OwnedFunction,
  schema: string,
  services: readonly DatabaseService[],
): string[] {
  const signature = `${schema}.${functionSignature(owned)}`;
  const allowed = services.filter((service) => owned.execute.includes(service));
  return [
    `CREATE OR REPLACE FUNCTION ${schema}.${owned.name}(${owned.parameters}) RETURNS ${owned.returns}
LANGUAGE ${owned.language} VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $owned$${owned.body(schema)}$owned$`,
    `REVOKE ALL ON FUNCTION ${signature} FROM ${["PUBLIC", ...rolesOf(services)].join(", ")}`,
    ...allowed.map((service) => `GRANT EXECUTE ON FUNCTION ${signature} TO ${SERVICE_ROLES[service]}`),
  ];
}

function roleStatements(
  database: string,
  schema: string,
  tables: readonly string[],
  services: readonly DatabaseService[],
): string[] {
  const roles = rolesOf(services).join(", ");
  return [
    // Only the owner of the database can do so; for anyone else this is a warning.
    `REVOKE ALL ON DATABASE ${database} FROM PUBLIC, ${roles}`,
    `GRANT CONNECT ON DATABASE ${database} TO ${roles}`,
    `REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC, ${roles}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${roles}`,
    ...(tables.length === 0
      ? []
      : [
          `REVOKE ALL ON ${tables.map((name) => `${schema}.${quoted(name)}`).join(", ")} FROM PUBLIC, ${roles}`,
        ]),
    ...ALL_TABLES.flatMap((table) => services.flatMap((service) => tableStatements(schema, table, service))),
  ];
}

/** Views read with the rights of their owner, so who may read them is decided here. */
function pastStatements(past: string, services: readonly DatabaseService[]): string[] {
  const revoked = ["PUBLIC", ...rolesOf(services)].join(", ");
  const readers = rolesOf(services.filter((service) => PAST_READERS.has(service))).join(", ");
  return [
    `REVOKE ALL ON SCHEMA ${past} FROM ${revoked}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${past} FROM ${revoked}`,
    ...(readers === ""
      ? []
      : [
          `GRANT USAGE ON SCHEMA ${past} TO ${readers}`,
          `GRANT SELECT ON ALL TABLES IN SCHEMA ${past} TO ${readers}`,
        ]),
  ];
}

function tableStatements(schema: string, table: Table, service: DatabaseService): string[] {
  return privilegesOf(table, service).map(({ action, columns }) => {
    const list = columns === true ? "" : ` (${columns.map(quoted).join(", ")})`;
    return `GRANT ${action.toUpperCase()}${list} ON ${schema}.${quoted(table.name)} TO ${SERVICE_ROLES[service]}`;
  });
}

function rolesOf(services: readonly DatabaseService[]): string[] {
  return services.map((service) => SERVICE_ROLES[service]);
}
