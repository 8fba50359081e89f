import type { Static, TSchema } from "typebox";
import type { ValueParser } from "#shared/contracts/compile-parser.ts";
import { TerminalError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/**
 * Runs a statement that returns rows and parses each row, so that raw SQL is as typed as a repository. Writes must be
 * written as `WITH … SELECT`, because TypeORM returns the rows of a plain UPDATE in another shape. What Postgres refuses in
 * a text parameter is replaced by U+FFFD; a jsonb parameter must come from `postgresSafeJson`. Throws
 * TerminalError `malformed` for a row that does not match.
 */
export async function selectRows<S extends TSchema>(
  manager: Queryable,
  parse: ValueParser<S>,
  sql: string,
  parameters: readonly unknown[],
): Promise<Static<S>[]> {
  const safe = parameters.map((value) => (typeof value === "string" ? postgresSafeText(value).text : value));
  const rows: unknown = await manager.query(sql, safe);
  if (!Array.isArray(rows)) throw new TerminalError("malformed", "the database answered without rows");
  return rows.map((row: unknown) => parse(row));
}
