import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MIGRATIONS_TABLE } from "#shared/database/migrations/all-migrations.ts";
import { openForMigrations } from "#shared/database/open-orm.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Logger } from "#shared/service/logger.ts";

const parseNewest = compileParser("newest migration", Type.Object({ newest: Type.Integer() }));
const NEWEST = `SELECT coalesce(max(substring(name from '\\d{13}$')::bigint), 0)::int AS newest FROM ${MIGRATIONS_TABLE}`;

/**
 * Undoes the migrations with a number above `last`, newest first, so that the version that knows no later one than `last` works
 * with the database at `url`, whose user owns the tables. No service of this version may run. Rejects with the database's error;
 * then the migrations undone so far stay undone.
 */
export async function undoMigrations(
  { url }: { readonly url: string },
  last: number,
  log: Logger,
): Promise<void> {
  const db = await openForMigrations(url, log);
  try {
    for (;;) {
      const [row] = await selectRows(db, parseNewest, NEWEST, []);
      if (row === undefined || row.newest <= last) return;
      await db.undoLastMigration({ transaction: "each" });
      log.info({ migration: row.newest }, "migration undone");
    }
  } finally {
    await db.destroy();
  }
}
