import { useState } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import type { ReviewAction } from "#shared/contracts/review.ts";
import { api, failureText } from "../../../api/client.ts";
import { useKeys } from "../../../keys.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";

interface ReviewProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** The review of a session that has ended: its state, and the step that ends it or begins it anew. */
export function ReviewButtons({ store, facts }: ReviewProps) {
  const { review_status, assignee } = facts;
  const [isAsking, setAsking] = useState(false);
  const { take, problem } = useReviewStep(store);
  const ask = () => review_status !== null && review_status !== "reviewed" && setAsking(true);
  useKeys({ v: [TEXT.session.keys.review, ask] });
  if (review_status === null) return null;
  return (
    <>
      <span class="review-state small">
        {TEXT.reviews[review_status]}{" "}
        {assignee !== null && LATER_TEXT.session.assignedTo(shownText(personName(assignee)))}
      </span>
      {review_status === "reviewed" ? (
        <button type="button" class="button plain" onClick={() => void take("reopen")}>
          {LATER_TEXT.session.reopen}
        </button>
      ) : (
        <button type="button" class="button primary" onClick={ask}>
          {LATER_TEXT.session.complete}
        </button>
      )}
      <Problem text={problem} />
      {isAsking && <ReviewDialog store={store} facts={facts} close={() => setAsking(false)} />}
    </>
  );
}

/** Takes a review on, or gives it back. */
export function ClaimButton({ store, facts: { review_status } }: ReviewProps) {
  const { take, problem } = useReviewStep(store);
  if (review_status !== "needs_review" && review_status !== "in_progress") return null;
  const isFree = review_status === "needs_review";
  return (
    <>
      <button type="button" class="button" onClick={() => void take(isFree ? "claim" : "unclaim")}>
        {isFree ? LATER_TEXT.session.claim : LATER_TEXT.session.unclaim}
      </button>
      <Problem text={problem} />
    </>
  );
}

function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span class="problem" role="alert">
      {text}
    </span>
  );
}

function useReviewStep(store: SessionStore) {
  const [problem, setProblem] = useState<string>();
  const take = async (action: ReviewAction) => {
    setProblem(undefined);
    try {
      const body = { session_ids: [store.id], action };
      const { results } = await api.call("PATCH /api/v1/sessions/review", { body });
      setProblem(results[0]?.error);
      await store.readFacts();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return { take, problem };
}
