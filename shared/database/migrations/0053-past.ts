import { escapeIdentifier as quoted } from "pg";
import type { MigrationInterface, QueryRunner } from "typeorm";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import {
  PAST_TRIGGERS,
  pastFunction,
  pastFunctions,
  type PastTrigger,
} from "#shared/database/past-triggers.ts";
import { pastSchemaOf } from "#shared/database/past-views.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/**
 * Keeps what every commit overwrites of a session's rows, so that they can be read as they were. Only adds: triggers write it, so that
 * sessions which services of the version before run have it, too. Sessions from before do not have all of it (`has_past`). The views
 * that read it are made by `migrate` (`past-views.ts`), for the columns that there are after all migrations.
 */
export class Past0000000000053 implements MigrationInterface {
  readonly name = "Past0000000000053";

  async up(runner: QueryRunner): Promise<void> {
    const { schema, past, hasPast } = await placeOf(runner);
    if (!hasPast) await createSchema(runner, past);
    const columns = await selectRows(runner, parseColumn, COLUMNS, [PAST_TRIGGERS.map(({ table }) => table)]);
    const createTrigger = (trigger: PastTrigger): string => triggerOf(trigger, columns);
    for (const sql of [
      TABLE,
      ...pastFunctions(schema),
      // The order in which all writers lock.
      ...PAST_TRIGGERS.filter(({ table }) => table === "alert_sessions").map(createTrigger),
      FLAG,
      ...PAST_TRIGGERS.filter(({ table }) => table !== "alert_sessions").map(createTrigger),
    ]) {
      await runner.query(sql);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const { past } = await placeOf(runner);
    await runner.query(`DROP SCHEMA IF EXISTS ${past} CASCADE`);
    for (const trigger of PAST_TRIGGERS) {
      await runner.query(`DROP TRIGGER ${trigger.name} ON ${trigger.table}`);
      await runner.query(`DROP FUNCTION ${pastFunction(trigger)}()`);
    }
    await runner.query("DROP TABLE row_history");
    await runner.query("ALTER TABLE session_runtime DROP COLUMN has_past");
  }
}

const parsePlace = compileParser("schema", Type.Object({ schema: Type.String() }));
const parseColumn = compileParser("column", Type.Object({ table: Type.String(), name: Type.String() }));
const COLUMNS = `
SELECT table_name::text AS table, column_name::text AS name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY($1::text[])`;
const parseFound = compileParser("schema of the past", Type.Object({ found: Type.Boolean() }));

async function placeOf(runner: QueryRunner) {
  const [place] = await selectRows(runner, parsePlace, "SELECT current_schema() AS schema", []);
  const schema = place?.schema ?? "public";
  const past = pastSchemaOf(schema);
  const [row] = await selectRows(runner, parseFound, "SELECT to_regnamespace($1) IS NOT NULL AS found", [
    quoted(past),
  ]);
  return { schema: quoted(schema), past: quoted(past), hasPast: row?.found === true };
}

const DENIED = "42501";

/** An owner of the tables that does not own the database may be allowed to use a schema, and not to create one. */
async function createSchema(runner: QueryRunner, past: string): Promise<void> {
  try {
    await runner.query(`CREATE SCHEMA ${past}`);
  } catch (error) {
    const isDenied = error instanceof Error && "code" in error && error.code === DENIED;
    if (!isDenied) throw error;
    throw new Error(
      `the owner of the tables may not create the schema ${past}: as the owner of the database, run GRANT CREATE ON DATABASE for its role, or CREATE SCHEMA ${past} AUTHORIZATION for it`,
      { cause: error },
    );
  }
}

/** Columns that later migrations add are none yet: they replace the trigger. */
function triggerOf(
  { name, table, when, columns }: PastTrigger,
  existing: readonly { readonly table: string; readonly name: string }[],
): string {
  const known = columns.filter((column) =>
    existing.some((one) => one.table === table && one.name === column),
  );
  const of = known.length === 0 ? "" : ` OF ${known.join(", ")}`;
  return `CREATE TRIGGER ${name} ${when}${of} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${pastFunction({ name })}()`;
}

/**
 * `before` has the overwritten columns of the row `row_key`; null: the row did not exist. `seq`: the session's newest event after
 * the commit. `id` gives the order of changes within one commit; no index serves it. No foreign key: that would be a query
 * for each row; a trigger deletes what is left when a session goes.
 */
const TABLE = `
CREATE TABLE row_history (
  id bigint GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL,
  row_key uuid NOT NULL,
  seq integer NOT NULL,
  table_name text NOT NULL,
  before jsonb
);
CREATE INDEX row_history_of_row ON row_history (session_id, table_name, row_key, seq)`;

/** The sessions that there are have no complete past; those that follow do. */
const FLAG = `
ALTER TABLE session_runtime ADD COLUMN has_past boolean NOT NULL DEFAULT false;
ALTER TABLE session_runtime ALTER COLUMN has_past SET DEFAULT true`;
