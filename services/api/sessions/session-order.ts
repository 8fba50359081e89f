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
  /** The rows with a value, where others have null: the rows of a partial index. */
  readonly known?: string;
  /** True if the value of a row may be null. */
  readonly isNullable?: boolean;
}

/**
 * By what the list is sorted before the time. An index of `alert_sessions` has each but the score, with the same expression. Sessions without
 * a duration, a score or a rating come last in both directions; only those with one are in its index, so that a session is not added to
 * it with each change of its status.
 */
const SORTINGS: Readonly<Record<SortKey, Sorting | undefined>> = {
  created_at: undefined,
  status: { sql: "s.status", type: "session_status" },
  alert_type: { sql: "coalesce(s.alert_type, '')", type: "text" },
  author: { sql: "coalesce(s.author, '')", type: "text" },
  duration: {
    sql: "extract(epoch FROM s.completed_at - s.started_at)::float8",
    type: "float8",
    isNullable: true,
    known: "(s.completed_at IS NOT NULL AND s.started_at IS NOT NULL)",
  },
  // No index has it: the scores of all sessions are looked up.
  score: { sql: LATEST_SCORE, type: "integer", isNullable: true },
  quality_rating: {
    sql: "s.quality_rating",
    type: "text",
    isNullable: true,
    known: "s.quality_rating IS NOT NULL",
  },
};

/** A page of a list. */
interface PageRequest {
  /** The conditions of the list; parameters are added to theirs. */
  readonly where: readonly string[];
  /** Where the page before ended, if that is known: then the offset counts from there. */
  readonly end: PageEnd | undefined;
  readonly limit: number;
  readonly offset: number;
}

type AddParameter = (value: unknown) => string;

/** The order of a list, as SQL. */
export interface SessionOrder {
  /** The sort key as text, or NULL. */
  readonly key: string;
  readonly orderBy: string;
  /** The condition for rows behind a page's end; `add` adds a parameter. */
  readonly after: (end: PageEnd, add: AddParameter) => string;
  /** The statement that reads the members of `PageEnd` of a page's rows. */
  readonly page: (page: PageRequest, add: AddParameter) => string;
}

/** The order in which a list is shown: by the sort key, then by time, then by id, all in the same direction. */
export function sessionOrder({ sortBy, sortOrder }: Pick<ListQuery, "sortBy" | "sortOrder">): SessionOrder {
  const sorting = SORTINGS[sortBy];
  const comparison = sortOrder === "asc" ? ">" : "<";
  const inTime = `s.created_at ${sortOrder}, s.session_id ${sortOrder}`;
  const afterInTime = (end: PageEnd, add: AddParameter) =>
    `(s.created_at, s.session_id) ${comparison} (${add(end.created_at)}::timestamptz, ${add(end.session_id)}::uuid)`;
  if (sorting === undefined) return simpleOrder("NULL::text", inTime, afterInTime);
  const { sql, type, known, isNullable = false } = sorting;
  const inOrder = `${sql} ${sortOrder}${isNullable ? " NULLS LAST" : ""}, ${inTime}`;
  const afterKey = ({ key, created_at, session_id }: PageEnd, add: AddParameter) =>
    `(${sql}, s.created_at, s.session_id) ${comparison} (${add(key)}::${type}, ${add(created_at)}::timestamptz, ${add(session_id)}::uuid)`;
  const after = (end: PageEnd, add: AddParameter) => {
    if (end.key === null) return `(${sql} IS NULL AND ${afterInTime(end, add)})`;
    return isNullable ? `(${afterKey(end, add)} OR ${sql} IS NULL)` : afterKey(end, add);
  };
  const simple = simpleOrder(`(${sql})::text`, inOrder, after);
  if (known === undefined) return simple;
  return {
    ...simple,
    // The rows with a value by their index. Only if they do not fill the page, the others by time.
    page: ({ where, end, limit, offset }, add) => {
      const last = add(offset + limit);
      const isPast = end !== undefined && end.key === null;
      const [first, second] = [
        end === undefined ? "true" : isPast ? "false" : afterKey(end, add),
        isPast ? afterInTime(end, add) : "true",
      ];
      const list = where.join(" AND ");
      return `
WITH known AS MATERIALIZED (
  SELECT s.session_id, s.created_at, ${sql} AS key FROM alert_sessions s
  WHERE ${list} AND ${known} AND ${first} ORDER BY ${sql} ${sortOrder}, ${inTime} LIMIT ${last}
), other AS MATERIALIZED (
  SELECT s.session_id, s.created_at, NULL::${type} AS key FROM alert_sessions s
  WHERE ${list} AND NOT ${known} AND ${second} AND (SELECT count(*) FROM known) < ${last} ORDER BY ${inTime} LIMIT ${last}
)
SELECT s.session_id, s.created_at::text AS created_at, s.key::text AS key FROM (TABLE known UNION ALL TABLE other) AS s
ORDER BY s.key ${sortOrder} NULLS LAST, ${inTime} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
    },
  };
}

function simpleOrder(key: string, orderBy: string, after: SessionOrder["after"]): SessionOrder {
  return {
    key,
    orderBy,
    after,
    page: ({ where, end, limit, offset }, add) => {
      const conditions = end === undefined ? where : [...where, after(end, add)];
      return `SELECT s.session_id, s.created_at::text AS created_at, ${key} AS key FROM alert_sessions s
     WHERE ${conditions.join(" AND ")} ORDER BY ${orderBy} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
    },
  };
}
