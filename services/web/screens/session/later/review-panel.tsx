import { useState } from "preact/hooks";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import "./review-panel.css";

const TEXTS = LATER_TEXT.review;

/** What a reviewer said of an investigation; nothing without a review. */
export function ReviewPanel({
  store,
  facts,
}: {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}) {
  const [isAsking, setAsking] = useState(false);
  const { quality_rating, investigation_feedback, action_taken, may_change } = facts;
  if (quality_rating === null && investigation_feedback === null && action_taken === null) return null;
  return (
    <section class="follow-up-panel" aria-labelledby="review-title">
      <div class="score-head">
        <h2 id="review-title">{TEXT.session.review}</h2>
        {quality_rating !== null && <b>{TEXT.ratings[quality_rating]}</b>}
        {may_change && (
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {TEXTS.edit}
          </button>
        )}
      </div>
      <Said label={TEXTS.feedback} text={investigation_feedback} />
      <Said label={TEXTS.action} text={action_taken} />
      {isAsking && <ReviewDialog store={store} facts={facts} close={() => setAsking(false)} />}
    </section>
  );
}

function Said({ label, text }: { readonly label: string; readonly text: string | null }) {
  if (text === null || text === "") return null;
  return (
    <div>
      <h3 class="small soft">{label}</h3>
      <p class="plain-text">{shownText(text)}</p>
    </div>
  );
}
