import type { ListQuery } from "./list-query.ts";

const ofSession = (column: string, condition = "") => `(SELECT c.${column} FROM session_scores c
  WHERE c.session_id = s.session_id${condition} ORDER BY c.created_at DESC, c.score_id LIMIT 1)`;

/** The state of the newest scoring of `s`, a row of `alert_sessions`; null if it was never scored. */
export const SCORING_STATUS = ofSession("status");

/** The newest score of `s`; null without one. */
export const LATEST_SCORE = ofSession("total_score", " AND c.status = 'completed'");

type Filter = NonNullable<ListQuery["filters"]["scoring_status"]>;

/** The states of the newest scoring that each filter stands for; `not_scored` for none. */
const STATUSES_OF_FILTER: Readonly<Record<Exclude<Filter, "not_scored">, string>> = {
  scored: "('completed')",
  scoring_in_progress: "('pending', 'in_progress', 'memorizing')",
  scoring_failed: "('failed', 'cancelled')",
};

/** The condition of the filter `scoring_status` over `s`. */
export function scoringCondition(filter: Filter): string {
  if (filter === "not_scored") {
    return "NOT EXISTS (SELECT FROM session_scores c WHERE c.session_id = s.session_id)";
  }
  return `${SCORING_STATUS} IN ${STATUSES_OF_FILTER[filter]}`;
}
