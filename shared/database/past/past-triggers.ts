import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import { WITH_EXECUTION, WITH_SESSION, type Table } from "#shared/database/tables/table.ts";
import { PAST_TABLES, type PastGroup, type PastTable } from "#shared/database/past/past-tables.ts";

/**
 * The setting of a transaction with the places of the rows that it has added to `row_history`. Writers without a lease write
 * their rows first and number their events as the last statement: the rows then get the number of that.
 */
const KEPT = "tarsy.kept_rows";

/** The triggers of a table's past, as the migration creates them. */
interface PastTrigger {
  readonly name: string;
  readonly table: string;
  readonly after: "INSERT" | "UPDATE" | `UPDATE OF ${string}` | "DELETE";
  /** Only a short one: each statement that changes the table parses it, which costs more than the call of a function that compares. */
  readonly condition?: string;
}

const NUMBER = { name: "session_runtime_number_past", table: "session_runtime" } as const;

/** Every trigger that keeps what is overwritten, and those that delete what goes with a row without a foreign key. */
export const PAST_TRIGGERS: readonly PastTrigger[] = [
  ...Object.entries(PAST_TABLES).flatMap(([table, { changing, since }]) => [
    ...(changing.length === 0
      ? []
      : [
          {
            name: `${table}_keep_change`,
            table,
            after: `UPDATE OF ${[...new Set(changing.flatMap(({ columns }) => columns))].join(", ")}`,
          } as const,
        ]),
    ...(since === "kept" ? [{ name: `${table}_keep_insert`, table, after: "INSERT" } as const] : []),
  ]),
  { ...NUMBER, after: "UPDATE OF last_seq", condition: `current_setting('${KEPT}', true) <> ''` },
  { name: "alert_groups_keep_change", table: "alert_groups", after: "UPDATE" },
  { name: "alert_sessions_forget", table: "alert_sessions", after: "DELETE" },
  { name: "agent_executions_forget", table: "agent_executions", after: "DELETE" },
];

/** The name of a trigger's function. */
export const pastFunction = (trigger: Pick<PastTrigger, "name">): string => `tarsy_${trigger.name}`;

/** The statements that create the functions of all triggers; `schema` is a quoted identifier. */
export function pastFunctions(schema: string): string[] {
  return [
    ...Object.entries(PAST_TABLES).flatMap(([table, past]) => [
      ...(past.changing.length === 0
        ? []
        : [functionOf(schema, `${table}_keep_change`, changeBody(schema, table, past))]),
      ...(past.since === "kept"
        ? [functionOf(schema, `${table}_keep_insert`, insertBody(schema, table, past))]
        : []),
    ]),
    functionOf(schema, NUMBER.name, numberBody(schema)),
    functionOf(schema, "alert_groups_keep_change", groupBody(schema)),
    functionOf(schema, "alert_sessions_forget", forgetBody(schema, WITH_SESSION, "session_id")),
    functionOf(schema, "agent_executions_forget", forgetBody(schema, WITH_EXECUTION, "execution_id")),
  ];
}

/**
 * With the rights of the owner: no service may write `row_history`. A fixed search path would cost each call more than the rest of it; instead every table is named with its schema,
 * and no service may create anything that could be found instead of the functions of Postgres.
 */
function functionOf(schema: string, name: string, body: string): string {
  return `CREATE OR REPLACE FUNCTION ${schema}.${pastFunction({ name })}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
${body}
$past$`;
}

/**
 * Deletes what goes with the deleted row and has no foreign key to it. The runtime row is the first of a session: to delete it waits for a
 * writer that has it locked and adds events.
 */
function forgetBody(schema: string, rule: Table["purge"], key: string): string {
  const tables = ALL_TABLES.filter(({ purge }) => purge === rule);
  return `BEGIN
${tables.map(({ name }) => `  DELETE FROM ${schema}.${name} WHERE ${key} = OLD.${key};`).join("\n")}
  RETURN NULL;
END`;
}

function isOverwritten({ by }: PastGroup): string {
  return by.map((value) => `OLD.${value} IS DISTINCT FROM NEW.${value}`).join(" OR ");
}

/** The groups of columns that the update has overwritten, with what they held. */
const overwritten = (groups: readonly PastGroup[]): string =>
  groups
    .map((group) => {
      const object = `jsonb_build_object(${group.columns.map((name) => `'${name}', OLD.${name}`).join(", ")})`;
      return `CASE WHEN ${isOverwritten(group)} THEN ${object} ELSE '{}' END`;
    })
    .join("\n    || ");

/**
 * The statement of a step triggers in any order and reads the new number everywhere: then no row is older. The place is remembered for
 * the number that the transaction may get later.
 */
const keep = (schema: string, table: string, row: string, key: string, before: string): string => `
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT ${row}.session_id, r.last_seq, '${table}', ${key}, ${before}
  FROM ${schema}.session_runtime r WHERE r.session_id = ${row}.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('${KEPT}', coalesce(nullif(current_setting('${KEPT}', true), '') || ';', '') || place::text, true);`;

function changeBody(schema: string, table: string, { key, changing }: PastTable): string {
  return `DECLARE
  place tid;
BEGIN
  IF ${changing.map(isOverwritten).join(" OR ")} THEN${keep(schema, table, "OLD", key("OLD"), overwritten(changing))}
  END IF;
  RETURN NULL;
END`;
}

/**
 * Gives what the transaction has kept of the session the number of its events. `ctid` finds the transaction's own rows without another
 * index.
 */
function numberBody(schema: string): string {
  return `BEGIN
  UPDATE ${schema}.row_history SET seq = NEW.last_seq
  WHERE ctid = ANY (string_to_array(current_setting('${KEPT}'), ';')::tid[])
    AND session_id = NEW.session_id AND seq < NEW.last_seq;
  RETURN NULL;
END`;
}

function insertBody(schema: string, table: string, { key }: PastTable): string {
  return `DECLARE
  place tid;
BEGIN${keep(schema, table, "NEW", key("NEW"), "NULL")}
  RETURN NULL;
END`;
}

/** A group that goes on with another session leaves its whole row behind for the one before. */
function groupBody(schema: string): string {
  const before = "to_jsonb(OLD)";
  return `DECLARE
  place tid;
BEGIN
  IF OLD.session_id IS NOT NULL THEN${keep(schema, "alert_groups", "OLD", "OLD.session_id", before)}
  END IF;
  IF NEW.session_id IS DISTINCT FROM OLD.session_id AND NEW.session_id IS NOT NULL THEN${keep(schema, "alert_groups", "NEW", "NEW.session_id", "NULL")}
  END IF;
  RETURN NULL;
END`;
}
