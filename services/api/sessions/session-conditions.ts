import { FAILING } from "./failing-column.ts";
import { scoringCondition } from "./score-columns.ts";
import { SCORING_FILTERS, SESSION_STATES, type SessionFilters } from "./list-query.ts";
import type { SqlParameters } from "./sql-parameters.ts";

const ASKS =
  "EXISTS (SELECT FROM approvals a WHERE a.session_id = s.session_id AND a.state = 'awaiting_approval')";
/** Conditions over `r`, the session's row of `session_runtime`. A session is in one of these states, as `sessionState` of the clients says. */
const STATES: Readonly<Record<(typeof SESSION_STATES)[number], string>> = {
  parked: "r.parked_at IS NOT NULL",
  needs_approval: `r.parked_at IS NULL AND ${ASKS}`,
  failing: `r.park_by IS NULL AND NOT ${ASKS} AND ${FAILING} IS NOT NULL`,
};

/** Only sessions that have not ended, of which there are few, are looked at. */
function stateCondition(value: unknown): string {
  const wanted = SESSION_STATES.filter((state) => Array.isArray(value) && value.includes(state));
  const statuses = wanted.includes("parked") ? "'pending', 'in_progress'" : "'in_progress'";
  return `s.status IN (${statuses}) AND (
    SELECT ${wanted.map((state) => `(${STATES[state]})`).join(" OR ")} FROM session_runtime r WHERE r.session_id = s.session_id)`;
}

type Filter = Exclude<keyof SessionFilters, "search">;

/**
 * The SQL condition of each filter over `s`, a row of `alert_sessions`; `parameter` is the place of the filter's value. A later
 * feature replaces the condition of its filter here.
 */
const CONDITIONS: Readonly<Record<Filter, (parameter: () => string, value: unknown) => string>> = {
  status: (parameter) => `s.status = ANY(${parameter()}::session_status[])`,
  priority: (parameter) => `s.lane = ANY(${parameter()}::text[])`,
  // As the index has it.
  alert_type: (parameter) => `coalesce(s.alert_type, '') = ${parameter()}`,
  chain_id: (parameter) => `s.chain_id = ${parameter()}`,
  state: (_parameter, value) => stateCondition(value),
  start_date: (parameter) => `s.created_at >= ${parameter()}::timestamptz`,
  end_date: (parameter) => `s.created_at < ${parameter()}::timestamptz`,
  scoring_status: (_parameter, value) =>
    SCORING_FILTERS.filter((filter) => filter === value)
      .map(scoringCondition)
      .join(),
  // As the index has it.
  author: (parameter) => `coalesce(s.author, '') = ${parameter()}`,
  assignee: (parameter) => `s.assignee = ${parameter()}`,
  review_status: (parameter) => `s.review_status = ANY(${parameter()}::text[])`,
  // As the index has it.
  quality_rating: (parameter) => `coalesce(s.quality_rating, '') = ${parameter()}`,
};
const FILTERS: readonly Filter[] = [
  "status",
  "priority",
  "alert_type",
  "chain_id",
  "state",
  "start_date",
  "end_date",
  "scoring_status",
  "author",
  "assignee",
  "review_status",
  "quality_rating",
];

/** The SQL conditions of the filters that are set, except the search. */
export function sessionConditions(filters: Partial<SessionFilters>, parameters: SqlParameters): string[] {
  return FILTERS.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [CONDITIONS[name](() => parameters.add(value), value)];
  });
}
