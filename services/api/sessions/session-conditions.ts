import { FAILING } from "./failing-column.ts";
import { scoringCondition } from "./score-columns.ts";
import { SCORING_FILTERS, type SessionFilters } from "./list-query.ts";
import type { SqlParameters } from "./sql-parameters.ts";

/** Only sessions in progress, of which there are few, are looked at. */
const NEEDS_PERSON = `s.status = 'in_progress' AND (
  SELECT r.parked_at IS NULL AND (${FAILING} IS NOT NULL
    OR EXISTS (SELECT FROM approvals a WHERE a.session_id = s.session_id AND a.state = 'awaiting_approval'))
  FROM session_runtime r WHERE r.session_id = s.session_id)`;

type Filter = Exclude<keyof SessionFilters, "search">;

/**
 * The SQL condition of each filter over `s`, a row of `alert_sessions`; `parameter` is the place of the filter's value. A later
 * feature replaces the condition of its filter here.
 */
const CONDITIONS: Readonly<Record<Filter, (parameter: () => string, value: unknown) => string>> = {
  status: (parameter) => `s.status = ANY(${parameter()}::session_status[])`,
  priority: (parameter) => `s.lane = ANY(${parameter()}::text[])`,
  alert_type: (parameter) => `s.alert_type = ${parameter()}`,
  chain_id: (parameter) => `s.chain_id = ${parameter()}`,
  needs_person: () => NEEDS_PERSON,
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
  "needs_person",
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
