import { escapeIdentifier as quoted } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { DERIVED_PAST, isBorn } from "#shared/database/past/derived-past.ts";
import { PAST_TABLES, type PastTable } from "#shared/database/past/past-tables.ts";
import { pastFunctions } from "#shared/database/past/past-triggers.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** The schema with the past of the tables in `schema`; neither is quoted. */
export const pastSchemaOf = (schema: string): string => `${schema}_past`;

/** The setting of a transaction that says which event's moment the views show. */
export const AT_SEQ = "tarsy.at_seq";
const SEQ = `current_setting('${AT_SEQ}')::integer`;

const parseSchema = compileParser("schema", Type.Object({ schema: Type.String() }));
const parseColumn = compileParser("column", Type.Object({ table: Type.String(), name: Type.String() }));

const COLUMNS = `
SELECT relname::text AS table, attname::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname = ANY($2::text[]) AND attnum > 0 AND NOT attisdropped
ORDER BY attrelid, attnum`;

/**
 * Creates the schema of the past anew for the columns that there are: one view for each table, under the table's name, with its rows
 * as they were at the event `tarsy.at_seq` of their session. A transaction that looks there first reads the past with the statements
 * of the present. To be called by the owner of the tables after migrations, in the transaction that gives the grants.
 */
export async function createPastViews(transaction: Queryable): Promise<void> {
  const [place] = await selectRows(transaction, parseSchema, "SELECT current_schema() AS schema", []);
  if (place === undefined) return;
  const schema = quoted(place.schema);
  const past = quoted(pastSchemaOf(place.schema));
  const tables = [...Object.keys(PAST_TABLES), "alert_groups"];
  const columns = await selectRows(transaction, parseColumn, COLUMNS, [schema, tables]);
  const columnsOf = (table: string) => columns.filter((one) => one.table === table).map(({ name }) => name);
  await transaction.query(
    [
      ...pastFunctions(schema),
      ...Object.entries(PAST_TABLES).map(
        ([table, rules]) =>
          `CREATE OR REPLACE VIEW ${past}.${table} AS ${rowsOf(schema, table, { rules, columns: columnsOf(table) })}`,
      ),
      `CREATE OR REPLACE VIEW ${past}.alert_groups AS ${groupsOf(schema, columnsOf("alert_groups"))}`,
    ].join(";\n"),
  );
}

/** What was overwritten later than the moment; of several values of a column the oldest counts, which is the last of equal keys. */
const later = (schema: string, table: string, session: string, key: string): string => `LATERAL (
  SELECT jsonb_object_agg(e.key, e.value ORDER BY h.id DESC) FILTER (WHERE e.key IS NOT NULL) AS before,
         bool_or(h.before IS NULL) AS is_inserted
  FROM ${schema}.row_history h LEFT JOIN LATERAL jsonb_each(h.before) e ON true
  WHERE h.session_id = ${session} AND h.table_name = '${table}' AND h.row_key = ${key} AND h.seq > ${SEQ}
) later`;

/** Columns that never change come from the table itself, so that conditions on them use its indexes. */
function rowsOf(
  schema: string,
  table: string,
  { rules, columns }: { readonly rules: PastTable; readonly columns: readonly string[] },
): string {
  const { since, key } = rules;
  const kept = rules.changing.flatMap(({ columns: changed }) => changed);
  const derived = DERIVED_PAST[table]?.(schema, SEQ);
  const list = columns.map((name) => {
    const value = derived?.columns[name];
    if (value !== undefined) return `${value} AS ${quoted(name)}`;
    return `${kept.includes(name) ? "past" : "t"}.${quoted(name)}`;
  });
  const isByNumber = since === "seq" || since === "first_seq";
  const sources = [
    `${schema}.${table} t`,
    ...(kept.length === 0 && isByNumber ? [] : [later(schema, table, "t.session_id", key("t"))]),
    ...(kept.length === 0 ? [] : ["LATERAL jsonb_populate_record(t, later.before) past"]),
    ...(derived?.from ?? []),
  ];
  const condition = isByNumber
    ? isBorn(`${kept.includes(since) ? "past" : "t"}.${since}`, SEQ)
    : "later.is_inserted IS NOT TRUE";
  return `SELECT ${list.join(", ")} FROM ${sources.join("\nCROSS JOIN ")}
WHERE ${condition}`;
}

/** A group that has gone on with another session is only in what was kept. */
function groupsOf(schema: string, columns: readonly string[]): string {
  const list = columns.map((name) => (name === "session_id" ? "s.session_id" : `past.${quoted(name)}`));
  return `SELECT ${list.join(", ")} FROM ${schema}.alert_sessions s
LEFT JOIN ${schema}.alert_groups g ON g.session_id = s.session_id
CROSS JOIN ${later(schema, "alert_groups", "s.session_id", "s.session_id")}
CROSS JOIN LATERAL jsonb_populate_record(g, later.before) past
WHERE later.is_inserted IS NOT TRUE AND past.group_key IS NOT NULL`;
}
