import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import type { Past, Table } from "#shared/database/tables/table.ts";

/** Columns of which all are kept if an update overwrites one of `by`. */
export interface PastGroup {
  readonly columns: readonly string[];
  readonly by: readonly string[];
}

/** How the past of a table's rows is kept. */
export interface PastTable extends Pick<Past, "since"> {
  /** The row's id as a SQL expression of type uuid; `row` is the SQL name of a row. */
  readonly key: (row: string) => string;
  readonly changing: readonly PastGroup[];
}

/**
 * The tables of which a session's past is known, but for `alert_groups`, whose rows move from session to session
 * (`past-triggers.ts`). All of them have a column `session_id`.
 */
export const PAST_TABLES: Readonly<Record<string, PastTable>> = Object.fromEntries(
  ALL_TABLES.flatMap((table) => (table.past === undefined ? [] : [[table.name, pastOf(table, table.past)]])),
);

function pastOf({ columns }: Table, { since, changing = [] }: Past): PastTable {
  const key = Object.keys(columns).filter((name) => columns[name]?.primary === true);
  return {
    since,
    // Of two columns one id.
    key: (row) =>
      key.length === 1
        ? `${row}.${key.join()}`
        : `md5(${key.map((name) => `${row}.${name}::text`).join(" || '/' || ")})::uuid`,
    changing: changing.map((group) => ("by" in group ? group : { columns: group, by: group })),
  };
}
