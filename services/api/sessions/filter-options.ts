import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { visibleTo } from "./visible-to.ts";

/** More than a person chooses from. */
const MAX_VALUES = 500;

const parseValue = compileParser("filter option", Type.Object({ value: Type.String() }));

/** What the sessions that the identity may see can be filtered by. */
export async function readFilterOptions(db: Queryable, identity: Identity) {
  return {
    // As the indexes have them; a session without one has an empty one.
    alert_types: await distinct(db, "coalesce(s.alert_type, '')", identity),
    chain_ids: await distinct(db, "s.chain_id", identity),
    authors: await distinct(db, "coalesce(s.author, '')", identity),
    statuses: SESSION_STATUSES,
  };
}

/** The distinct values in ascending order. It jumps from one value to the next in the index, whatever number of rows they have. */
async function distinct(
  db: Queryable,
  column: "coalesce(s.alert_type, '')" | "s.chain_id" | "coalesce(s.author, '')",
  identity: Identity,
): Promise<string[]> {
  const parameters = new SqlParameters();
  const visible = visibleTo(identity, parameters);
  const first = (condition: string) =>
    `(SELECT ${column} AS value FROM alert_sessions s WHERE ${condition} AND ${visible} ORDER BY ${column} LIMIT 1)`;
  const rows = await selectRows(
    db,
    parseValue,
    `WITH RECURSIVE options(value) AS (
       ${first(`${column} > ''`)}
       UNION ALL
       SELECT next.value FROM options, LATERAL ${first(`${column} > options.value`)} AS next
     )
     SELECT value FROM options LIMIT ${parameters.add(MAX_VALUES)}`,
    parameters.values,
  );
  return rows.map(({ value }) => value);
}
