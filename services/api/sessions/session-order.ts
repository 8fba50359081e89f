import { MAX_SCORE } from "#shared/contracts/scoring.ts";
import { LATEST_SCORE } from "./score-columns.ts";
import type { ListQuery, SortKey } from "./list-query.ts";

/** Where a page ends: the values of its last row in the order of the list. */
export interface PageEnd {
  /** The sort key as text; null where the list is sorted by time alone. */
  readonly key: string | null;
  /** As text: a JavaScript date would lose the microseconds, and the next page would repeat rows. */
  readonly created_at: string;
  readonly session_id: string;
}

interface Sorting {
  /** Over `s`, a row of `alert_sessions`; never null, so that rows can be compared. */
  readonly sql: string;
  readonly type: string;
}

const DURATION = "extract(epoch FROM s.completed_at - s.started_at)::float8";

/** By what the list is sorted before the time; an index of `alert_sessions` has each but the score, with the same expression. */
const SORTINGS: Readonly<Record<SortKey, Readonly<Record<ListQuery["sortOrder"], Sorting>> | undefined>> = {
  created_at: undefined,
  status: both({ sql: "s.status", type: "session_status" }),
  alert_type: both({ sql: "coalesce(s.alert_type, '')", type: "text" }),
  author: both({ sql: "coalesce(s.author, '')", type: "text" }),
  // Sessions without a duration come last in both directions.
  duration: {
    asc: { sql: `coalesce(${DURATION}, 'Infinity')`, type: "float8" },
    desc: { sql: `coalesce(${DURATION}, -1)`, type: "float8" },
  },
  // Sessions without a score too. No index has it: the scores of all sessions are looked up.
  score: {
    asc: { sql: `coalesce(${LATEST_SCORE}, ${MAX_SCORE + 1})`, type: "integer" },
    desc: { sql: `coalesce(${LATEST_SCORE}, -1)`, type: "integer" },
  },
  // Those without a rating too.
  quality_rating: {
    asc: { sql: "coalesce(s.quality_rating, '~')", type: "text" },
    desc: { sql: "coalesce(s.quality_rating, '')", type: "text" },
  },
};

function both(sorting: Sorting): Record<ListQuery["sortOrder"], Sorting> {
  return { asc: sorting, desc: sorting };
}

/** The order of a list, as SQL. */
export interface SessionOrder {
  /** The sort key as text, or NULL. */
  readonly key: string;
  readonly orderBy: string;
  /** The condition for rows behind a page's end; `add` adds a parameter. */
  readonly after: (end: PageEnd, add: (value: unknown) => string) => string;
}

/** The order in which a list is shown: by the sort key, then by time, then by id, all in the same direction. */
export function sessionOrder({ sortBy, sortOrder }: Pick<ListQuery, "sortBy" | "sortOrder">): SessionOrder {
  const sorting = SORTINGS[sortBy]?.[sortOrder];
  const first = sorting === undefined ? [] : [sorting];
  const columns = [...first.map(({ sql }) => sql), "s.created_at", "s.session_id"];
  const comparison = sortOrder === "asc" ? ">" : "<";
  return {
    key: sorting === undefined ? "NULL::text" : `(${sorting.sql})::text`,
    orderBy: columns.map((column) => `${column} ${sortOrder}`).join(", "),
    after: (end, add) => {
      const values = [
        ...first.map(({ type }) => `${add(end.key)}::${type}`),
        `${add(end.created_at)}::timestamptz`,
        `${add(end.session_id)}::uuid`,
      ];
      return `(${columns.join(", ")}) ${comparison} (${values.join(", ")})`;
    },
  };
}
