import { useRef, useState } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import { QUALITY_RATINGS, type QualityRating, type ReviewAction } from "#shared/contracts/review.ts";
import { api } from "../../api/client.ts";
import { useKeys } from "../../keys.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import type { SessionFacts, SessionStore } from "./session-store.ts";

interface ReviewButtonsProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** The review of a session that has ended: its state, and the steps that are possible from there. */
export function ReviewButtons({ store, facts }: ReviewButtonsProps) {
  const { review_status, assignee } = facts;
  const [problem, setProblem] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  const take = async (action: ReviewAction, quality_rating?: QualityRating) => {
    dialog.current?.close();
    setProblem(undefined);
    try {
      const body = { session_ids: [store.id], action, ...(quality_rating && { quality_rating }) };
      const { results } = await api.call("PATCH /api/v1/sessions/review", { body });
      setProblem(results[0]?.error);
      await store.readFacts();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useKeys({
    v: [
      TEXT.session.keys.review,
      () => review_status !== null && review_status !== "reviewed" && dialog.current?.showModal(),
    ],
  });
  if (review_status === null) return null;
  return (
    <>
      <span class="review-state small">
        {TEXT.reviews[review_status]}{" "}
        {assignee !== null && TEXT.session.assignedTo(shownText(personName(assignee)))}
      </span>
      {review_status === "needs_review" && (
        <button type="button" class="button" onClick={() => void take("claim")}>
          {TEXT.session.claim}
        </button>
      )}
      {review_status === "in_progress" && (
        <button type="button" class="button" onClick={() => void take("unclaim")}>
          {TEXT.session.unclaim}
        </button>
      )}
      {review_status === "reviewed" ? (
        <button type="button" class="button" onClick={() => void take("reopen")}>
          {TEXT.session.reopen}
        </button>
      ) : (
        <button type="button" class="button" onClick={() => dialog.current?.showModal()}>
          {TEXT.session.complete}
        </button>
      )}
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
      <dialog ref={dialog} class="dialog" aria-labelledby="rating-title">
        <h2 id="rating-title">{TEXT.session.rating}</h2>
        <div class="dialog-buttons">
          {QUALITY_RATINGS.map((rating) => (
            <button key={rating} type="button" class="button" onClick={() => void take("complete", rating)}>
              {TEXT.ratings[rating]}
            </button>
          ))}
          <button type="button" class="button plain" onClick={() => dialog.current?.close()}>
            {TEXT.app.close}
          </button>
        </div>
      </dialog>
    </>
  );
}
