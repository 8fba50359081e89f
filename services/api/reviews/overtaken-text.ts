import { personName } from "#shared/client/person-name.ts";
import { timeText } from "#shared/client/time-text.ts";
import type { ReviewAction } from "#shared/contracts/review.ts";
import type { ExpectedReview } from "./review-request.ts";
import type { Review } from "./review-step.ts";

/** A review with the time of its claim. */
export interface FoundReview extends Review {
  readonly assigned_at: string | null;
}

/**
 * Who was quicker, as text for people, if a review is not as the reviewer saw it; undefined if it is. A claim of what is the reviewer's
 * already is no conflict: it may be a second press.
 */
export function overtakenText(
  { review_status, assignee, assigned_at }: FoundReview,
  expected: ExpectedReview,
  { action, actor }: { readonly action: ReviewAction; readonly actor: string },
): string | undefined {
  const isSame = review_status === expected.review_status && assignee === expected.assignee;
  const isOwn = action === "claim" && review_status === "in_progress" && assignee === actor;
  if (isSame || isOwn) return undefined;
  const who = personName(assignee ?? "");
  if (review_status === "needs_review") return "this needs a review again";
  if (review_status === "reviewed") return who === "" ? "this needs no review" : `${who} has reviewed this`;
  const since =
    assigned_at === null ? "" : ` since ${timeText(Date.parse(assigned_at), Date.now(), "utc")} UTC`;
  return `${who} has claimed this${since}`;
}
