import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "#shared/database/schema/migrations/all-migrations.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { UNUSABLE_SCHEMA } from "#shared/service/exit-codes.ts";

/** The newest commit that uses a database from before the baseline. */
const LAST_COMMIT_OF_OLD_SCHEMA = "e010a46d3c70259fa7dd96872071252cf104acbf";

const parseTable = compileParser("table of the schema", Type.Object({ present: Type.Boolean() }));
const parseSupport = compileParser("schema support", Type.Object({ needs_migration: Type.Integer() }));
const parseFirst = compileParser("first migration", Type.Object({ name: Type.String() }));

const SUPPORT = "SELECT needs_migration FROM schema_support";
const FIRST = `SELECT name FROM ${MIGRATIONS_TABLE} WHERE timestamp = 1`;

/**
 * Throws TerminalError `unusable_schema` if this process cannot use the schema: it has another baseline, or a newer version of TARSy
 * has changed it too much. A newer schema that only added something is no error.
 */
export async function checkSchemaSupport(db: Queryable): Promise<void> {
  if (await mayRead(db, MIGRATIONS_TABLE)) {
    const [first] = await selectRows(db, parseFirst, FIRST, []);
    if (first !== undefined) checkBaseline(first.name);
  }
  if (!(await mayRead(db, "schema_support"))) return;
  const [support] = await selectRows(db, parseSupport, SUPPORT, []);
  const needed = support?.needs_migration ?? 0;
  const known = newestKnownMigration();
  if (needed > known) {
    throw new TerminalError(
      UNUSABLE_SCHEMA,
      `the database was migrated by a newer version of TARSy: its schema needs a version that knows migration ${needed}, and this one knows ${known}: start a newer version, or restore the backup from before the upgrade`,
    );
  }
}

/** Until `migrate` has given a role its privileges, it may not read the table. */
async function mayRead(db: Queryable, table: string): Promise<boolean> {
  const sql = "SELECT coalesce(has_table_privilege(to_regclass($1), 'SELECT'), false) AS present";
  const [row] = await selectRows(db, parseTable, sql, [table]);
  return row?.present === true;
}

/** `applied`: the name of the database's first migration. */
function checkBaseline(applied: string): void {
  const own = new MIGRATIONS[0]().name;
  if (applied === own) return;
  const [theirs, ours] = [applied, own].map((name) => /_([0-9a-f]+)_/u.exec(name)?.[1]);
  const way =
    theirs === undefined
      ? `is of before the first release, which cannot be upgraded: use a new, empty database, or go on with the last commit for this one, ${LAST_COMMIT_OF_OLD_SCHEMA}`
      : `has the baseline ${theirs}, and this version has ${ours ?? own}: until the first release it changes in place and is not upgraded. Use a new, empty database, or go back to a commit with that baseline: git log -S ${theirs} shared/generated/baseline.ts`;
  throw new TerminalError(UNUSABLE_SCHEMA, `the schema of the database ${way}`);
}

/** The number at the end of a migration's class name, as TypeORM orders them. */
function newestKnownMigration(): number {
  return Math.max(
    0,
    ...MIGRATIONS.map((Migration) => Number(/\d{13}$/u.exec(new Migration().name)?.[0] ?? 0)),
  );
}
