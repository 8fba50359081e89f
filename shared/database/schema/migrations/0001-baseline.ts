import { escapeIdentifier as quoted } from "pg";
import type { MigrationInterface, QueryRunner } from "typeorm";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { pastSchemaOf } from "#shared/database/past/past-views.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { BASELINE_HASH, BASELINE_TABLES, pastTriggersSql } from "#shared/generated/baseline.ts";

const parsePlace = compileParser(
  "schema",
  Type.Object({ schema: Type.String(), past: Type.Union([Type.String(), Type.Null()]) }),
);
const PLACE =
  "SELECT current_schema() AS schema, to_regnamespace(quote_ident(current_schema() || '_past'))::text AS past";

/**
 * The schema of the first release. Until that has a date in CHANGELOG.md, the baseline is changed in place, and its name says which one a
 * database has (`check-schema-support.ts`); from then on each change is a migration.
 */
export class Baseline implements MigrationInterface {
  readonly name = `Baseline_${BASELINE_HASH}_0000000000001`;

  async up(runner: QueryRunner): Promise<void> {
    const [place] = await selectRows(runner, parsePlace, PLACE, []);
    const schema = place?.schema ?? "public";
    if (typeof place?.past !== "string") await createPastSchema(runner, quoted(pastSchemaOf(schema)));
    await runner.query(BASELINE_TABLES);
    await runner.query(pastTriggersSql(quoted(schema)));
  }

  /** A database without the first release's schema is an empty one. */
  async down(): Promise<void> {
    await Promise.reject(new Error("the baseline cannot be undone: use a new database"));
  }
}

const DENIED = "42501";

/** An owner of the tables that does not own the database may be allowed to use a schema, and not to create one. */
async function createPastSchema(runner: QueryRunner, past: string): Promise<void> {
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
