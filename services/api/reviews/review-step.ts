import type { QualityRating, ReviewAction, ReviewStatus } from "#shared/contracts/review.ts";
import type { ReviewFields } from "./review-request.ts";

/** The review of a session that ended. */
export interface Review {
  readonly review_status: ReviewStatus;
  readonly assignee: string | null;
  readonly quality_rating: QualityRating | null;
  readonly action_taken: string | null;
  readonly investigation_feedback: string | null;
  readonly feedback_edited: boolean;
}

/** An entry of the activity log. */
interface ReviewEntry {
  readonly action: ReviewAction;
  readonly from_status: ReviewStatus;
  readonly to_status: ReviewStatus;
}

/** What a step leaves: the review, what is logged of it in this order, and what it does to the two times. */
export interface ReviewStep {
  readonly review: Review;
  readonly log: readonly ReviewEntry[];
  /** The assignee was set by this step. */
  readonly assigns: boolean;
  /** The rating or a text was edited by this step. */
  readonly edits: boolean;
}

const CLEARED = {
  quality_rating: null,
  action_taken: null,
  investigation_feedback: null,
  feedback_edited: false,
} as const;

/** From which states an action is allowed; the others from any. */
const ALLOWED_FROM: Readonly<Partial<Record<ReviewAction, readonly ReviewStatus[]>>> = {
  claim: ["needs_review", "in_progress"],
  unclaim: ["in_progress"],
  reopen: ["reviewed"],
  update_feedback: ["reviewed"],
};

/** What an action changes, and which of the two times it sets. */
interface Effect {
  readonly after: Partial<Review> & Pick<Review, "review_status">;
  readonly assigns?: boolean;
  readonly edits?: boolean;
}

const EFFECTS: Readonly<
  Record<ReviewAction, (review: Review, fields: ReviewFields, actor: string) => Effect>
> = {
  claim: (_review, _fields, actor) => ({
    after: { review_status: "in_progress", assignee: actor },
    assigns: true,
  }),
  unclaim: () => ({ after: { review_status: "needs_review", assignee: null } }),
  reopen: () => ({ after: { ...CLEARED, review_status: "needs_review", assignee: null } }),
  update_feedback: (_review, fields) => ({
    after: { ...fields, feedback_edited: true, review_status: "reviewed" },
    edits: true,
  }),
  complete: (review, fields, actor) => ended(review, fields, actor),
  acknowledge: (review, fields, actor) => ended(review, { ...CLEARED, ...fields }, actor),
};

/** What ends a review makes its actor the assignee of one without a claim. */
function ended({ assignee }: Review, fields: Partial<Review>, actor: string): Effect {
  return {
    after: { ...fields, feedback_edited: false, review_status: "reviewed", assignee: assignee ?? actor },
    assigns: assignee === null,
  };
}

/**
 * Decides what an action of a reviewer does to a review; a sentence where its state does not allow it. Completing or
 * acknowledging an unclaimed review claims it, too, which is logged as a step of its own.
 */
export function reviewStep(
  review: Review,
  {
    action,
    fields,
    actor,
  }: { readonly action: ReviewAction; readonly fields: ReviewFields; readonly actor: string },
): ReviewStep | string {
  const { review_status: from } = review;
  const allowed = ALLOWED_FROM[action];
  if (allowed?.includes(from) === false) {
    return `the review is ${from}, ${action} needs ${allowed.join(" or ")}`;
  }
  const { after, assigns = false, edits = false } = EFFECTS[action](review, fields, actor);
  const to_status = after.review_status;
  const claims = (action === "complete" || action === "acknowledge") && from === "needs_review";
  const log: ReviewEntry[] = claims
    ? [
        { action: "claim", from_status: from, to_status: "in_progress" },
        { action, from_status: "in_progress", to_status },
      ]
    : [{ action, from_status: from, to_status }];
  return { review: { ...review, ...after }, log, assigns, edits };
}
