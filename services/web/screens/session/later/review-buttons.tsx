import { useState } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import { useKeys } from "../../../keys.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { Problem } from "./problem.tsx";
import { ReviewDialog } from "./review-dialog.tsx";
import { useReviewStep } from "./review-step.tsx";

interface ReviewProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** The review of a session that has ended: its state, and the step that ends it or begins it anew. */
export function ReviewButtons({ store, facts }: ReviewProps) {
  const { review_status, assignee } = facts;
  const [isAsking, setAsking] = useState(false);
  const { take, problem, question } = useReviewStep(async () => store.readFacts());
  const ask = () => review_status !== null && review_status !== "reviewed" && setAsking(true);
  // A cancelled session needs no review.
  const isSpared = facts.status === "cancelled" && review_status === "reviewed" && assignee === null;
  useKeys({ v: [TEXT.session.keys.review, ask] });
  if (review_status === null) return null;
  return (
    <>
      <span class="review-state small">
        {isSpared ? LATER_TEXT.session.noReview : TEXT.reviews[review_status]}{" "}
        {assignee !== null && LATER_TEXT.session.assignedTo(shownText(personName(assignee)))}
      </span>
      {review_status === "reviewed" ? (
        <button type="button" class="button plain" onClick={() => take(facts, "reopen")}>
          {LATER_TEXT.session.reopen}
        </button>
      ) : (
        <button type="button" class="button primary" onClick={ask}>
          {LATER_TEXT.session.complete}
        </button>
      )}
      <Problem text={problem} />
      {question}
      {isAsking && <ReviewDialog store={store} facts={facts} close={() => setAsking(false)} />}
    </>
  );
}

/** Takes a review on, or gives it back. */
export function ClaimButton({ store, facts }: ReviewProps) {
  const { review_status } = facts;
  const { take, problem, question } = useReviewStep(async () => store.readFacts());
  if (review_status !== "needs_review" && review_status !== "in_progress") return null;
  const isFree = review_status === "needs_review";
  return (
    <>
      <button type="button" class="button" onClick={() => take(facts, isFree ? "claim" : "unclaim")}>
        {isFree ? LATER_TEXT.session.claim : LATER_TEXT.session.unclaim}
      </button>
      <Problem text={problem} />
      {question}
    </>
  );
}
