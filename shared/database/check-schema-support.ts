import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MIGRATIONS } from "#shared/database/migrations/all-migrations.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { SCHEMA_TOO_NEW } from "#shared/service/exit-codes.ts";

const parseTable = compileParser("table of the schema's support", Type.Object({ present: Type.Boolean() }));
const parseSupport = compileParser("schema support", Type.Object({ needs_migration: Type.Integer() }));

/** Until `migrate` has given a role its privileges, it may not read the table. */
const HAS_TABLE =
  "SELECT coalesce(has_table_privilege(to_regclass('schema_support'), 'SELECT'), false) AS present";
const SUPPORT = "SELECT needs_migration FROM schema_support";

/**
 * Throws TerminalError `schema_too_new` if a newer version of TARSy has migrated the schema to a form that this process
 * cannot use. A newer schema that only added something is no error.
 */
export async function checkSchemaSupport(db: Queryable): Promise<void> {
  const [table] = await selectRows(db, parseTable, HAS_TABLE, []);
  if (table?.present !== true) return;
  const [support] = await selectRows(db, parseSupport, SUPPORT, []);
  const needed = support?.needs_migration ?? 0;
  const known = newestKnownMigration();
  if (needed > known) {
    throw new TerminalError(
      SCHEMA_TOO_NEW,
      `the database was migrated by a newer version of TARSy: its schema needs a version that knows migration ${needed}, and this one knows ${known}: start a newer version, or restore the backup from before the upgrade`,
    );
  }
}

/** The number at the end of a migration's class name, as TypeORM orders them. */
function newestKnownMigration(): number {
  return Math.max(
    0,
    ...MIGRATIONS.map((Migration) => Number(/\d{13}$/u.exec(new Migration().name)?.[0] ?? 0)),
  );
}
