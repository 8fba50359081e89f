import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { functionSignature } from "#shared/database/schema/apply-grants.ts";
import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import { privilegesOf } from "#shared/database/tables/table.ts";
import { OWNED_FUNCTIONS } from "#shared/database/functions/owned-functions.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { DatabaseService } from "#shared/database/schema/service-roles.ts";

const parseMissing = compileParser("missing privilege", Type.Object({ missing: Type.String() }));

/** A table, column or function that does not exist counts as one without the privilege. */
const MISSING = `
SELECT privilege || ' on ' || target || coalesce('.' || col, '') || ' for ' || current_user AS missing
FROM (SELECT target, col, privilege, to_regclass(target) AS relation
      FROM unnest($1::text[], $2::text[], $3::text[]) AS needed(target, col, privilege)
      WHERE privilege <> 'EXECUTE') AS needed
LEFT JOIN pg_attribute ON attrelid = relation AND attname = col AND NOT attisdropped
WHERE NOT coalesce(CASE WHEN col IS NULL THEN has_table_privilege(relation, privilege)
                        ELSE has_column_privilege(relation, attnum, privilege) END, false)
UNION ALL
SELECT 'EXECUTE on ' || target || ' for ' || current_user
FROM unnest($1::text[], $3::text[]) AS needed(target, privilege)
WHERE privilege = 'EXECUTE' AND NOT coalesce(has_function_privilege(to_regprocedure(target), 'EXECUTE'), false)
LIMIT 1`;

/**
 * A privilege that is declared for the service and that the connection's role does not have, in words; undefined if it has all of
 * them.
 */
export async function missingPrivilege(db: Queryable, service: DatabaseService): Promise<string | undefined> {
  const needed = neededPrivileges(service);
  const [row] = await selectRows(db, parseMissing, MISSING, [
    needed.map(({ target }) => target),
    needed.map(({ column }) => column),
    needed.map(({ privilege }) => privilege),
  ]);
  return row?.missing;
}

interface NeededPrivilege {
  readonly target: string;
  /** Null: the whole table, or the function. */
  readonly column: string | null;
  readonly privilege: string;
}

function neededPrivileges(service: DatabaseService): NeededPrivilege[] {
  const ofTables = ALL_TABLES.flatMap((table) =>
    privilegesOf(table, service).flatMap(({ action, columns }) =>
      (columns === true ? [null] : columns).map((column) => ({
        target: table.name,
        column,
        privilege: action.toUpperCase(),
      })),
    ),
  );
  const ofFunctions = OWNED_FUNCTIONS.filter(({ execute }) => execute.includes(service)).map((owned) => ({
    target: functionSignature(owned),
    column: null,
    privilege: "EXECUTE",
  }));
  return [...ofTables, ...ofFunctions];
}
