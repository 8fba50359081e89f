import { LATEST_SCORE } from "./score-columns.ts";
import type { ListQuery, SortKey } from "./list-query.ts";

/** Where a page ends: the values of its last row in the order of the list. */
export interface PageEnd {
  /** The sort key as text; null where the list is sorted by time alone, and of a row without a value. */
  readonly key: string | null;
  /** As text: a JavaScript date would lose the microseconds, and the next page would repeat rows. */
  readonly created_at: string;
  readonly session_id: string;
}

interface Sorting {
  /** Over `s`, a row of `alert_sessions`. */
  readonly sql: string;
  readonly type: string;
  /** The rows with a value, where others have null. */
  readonly known?: string;
}

/**
 * By what the list is sorted before the time. Sessions without a duration, a score or a rating come last in both directions. An index of
 * `alert_sessions` has each but the score, with the same expression; those of durations and ratings have only the sessions with one, so that
 * a session is not added to them with each change of its status.
 */
const SORTINGS: Readonly<Record<SortKey, Sorting | undefined>> = {
  created_at: undefined,
  status: { sql: "s.status", type: "session_status" },
  alert_type: { sql: "coalesce(s.alert_type, '')", type: "text" },
  author: { sql: "coalesce(s.author, '')", type: "text" },
  duration: {
    sql: "extract(epoch FROM s.completed_at - s.started_at)::float8",
    type: "float8",
    known: "(s.completed_at IS NOT NULL AND s.started_at IS NOT NULL)",
  },
  // No index has it: the scores of all sessions are looked up.
  score: { sql: LATEST_SCORE, type: "integer", known: `${LATEST_SCORE} IS NOT NULL` },
  quality_rating: {
    sql: "s.quality_rating",
    type: "text",
    known: "s.quality_rating IS NOT NULL",
  },
};

/** Sessions of a list that follow one another. */
interface ListedRows {
  /** The conditions of the list. */
  readonly where: readonly string[];
  /** Where the page before ended, if that is known: the rows begin behind it. */
  readonly end: PageEnd | undefined;
  /** Rows to read at most of those with a value, and of those without. */
  readonly limit: number;
}

type AddParameter = (value: unknown) => string;

/** A list in its order, as SQL. */
export interface SessionOrder {
  /**
   * The sessions as an item `s` of a FROM clause, which has them in their order, with the members of `PageEnd` as columns; `add` adds a
   * parameter.
   */
  readonly rows: (listed: ListedRows, add: AddParameter) => string;
}

/** The columns of `rows` as `PageEnd` has them. */
export const PAGE_COLUMNS = "s.session_id, s.created_at::text AS created_at, s.key";

/** A part of a list: rows with a value before those without one. */
interface Part {
  readonly where: string;
  readonly orderBy: string;
}

/** The order in which a list is shown: by the sort key, then by time, then by id, all in the same direction. */
export function sessionOrder({ sortBy, sortOrder }: Pick<ListQuery, "sortBy" | "sortOrder">): SessionOrder {
  const sorting = SORTINGS[sortBy];
  const comparison = sortOrder === "asc" ? ">" : "<";
  const byTime = `s.created_at ${sortOrder}, s.session_id ${sortOrder}`;
  const afterTime = ({ created_at, session_id }: PageEnd, add: AddParameter) =>
    `(s.created_at, s.session_id) ${comparison} (${add(created_at)}::timestamptz, ${add(session_id)}::uuid)`;
  if (sorting === undefined) {
    return ordered("NULL::text", (end, add) => [
      { where: end === undefined ? "true" : afterTime(end, add), orderBy: byTime },
    ]);
  }
  const { sql, type, known } = sorting;
  const byKey = `${sql} ${sortOrder}, ${byTime}`;
  const afterKey = ({ key, created_at, session_id }: PageEnd, add: AddParameter) =>
    `(${sql}, s.created_at, s.session_id) ${comparison} (${add(key)}::${type}, ${add(created_at)}::timestamptz, ${add(session_id)}::uuid)`;
  return ordered(`(${sql})::text`, (end, add) => {
    if (known !== undefined && end !== undefined && end.key === null) {
      return [{ where: `NOT ${known} AND ${afterTime(end, add)}`, orderBy: byTime }];
    }
    const first = { where: end === undefined ? "true" : afterKey(end, add), orderBy: byKey };
    if (known === undefined) return [first];
    return [
      { ...first, where: `${known} AND ${first.where}` },
      { where: `NOT ${known}`, orderBy: byTime },
    ];
  });
}

function ordered(
  key: string,
  partsOf: (end: PageEnd | undefined, add: AddParameter) => readonly Part[],
): SessionOrder {
  return {
    rows: ({ where: list, end, limit }, add) => {
      const parts = partsOf(end, add).map(
        ({ where, orderBy }) =>
          `(SELECT s.session_id, s.created_at, ${key} AS key FROM alert_sessions s WHERE ${[...list, where].join(" AND ")} ORDER BY ${orderBy} LIMIT ${limit})`,
      );
      // Postgres reads parts with a limit one after another, and the second one only if the first has too few rows.
      return `(${parts.join(" UNION ALL ")}) AS s`;
    },
  };
}
