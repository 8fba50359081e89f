import type { TerminalStatus } from "#shared/contracts/statuses.ts";

/** The states of the review of a session that ended. A session that runs has none. */
export const REVIEW_STATUSES = ["needs_review", "in_progress", "reviewed"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** A reviewer's rating of an investigation. */
export const QUALITY_RATINGS = ["accurate", "partially_accurate", "inaccurate"] as const;
export type QualityRating = (typeof QUALITY_RATINGS)[number];

export const REVIEW_ACTIONS = [
  "claim",
  "unclaim",
  "complete",
  "reopen",
  "update_feedback",
  "acknowledge",
] as const;
export type ReviewAction = (typeof REVIEW_ACTIONS)[number];

/** The actor of the review's beginning. */
export const REVIEW_SYSTEM = "system";

/** The review status that the database gives a session when it ends: there is nothing to review in a cancelled one. */
export function reviewAtEnd(status: TerminalStatus): ReviewStatus {
  return status === "cancelled" ? "reviewed" : "needs_review";
}
