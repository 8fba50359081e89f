import { useState } from "preact/hooks";
import { QUALITY_RATINGS, type QualityRating } from "#shared/contracts/review.ts";
import { api } from "../../../api/client.ts";
import { useModal } from "../../../parts/use-modal.ts";
import { TEXT } from "../../../text.ts";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { Problem } from "./problem.tsx";
import { useSending } from "./use-sending.ts";

const TEXTS = LATER_TEXT.review;
/** As the api takes. */
const MAX_CHARACTERS = 10_000;

interface ReviewDialogProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  readonly close: () => void;
}

/** Asks how good an investigation was: in words if the reader likes, and by the button that ends the review or changes it. */
export function ReviewDialog({ store, facts, close }: ReviewDialogProps) {
  const dialog = useModal();
  const [feedback, setFeedback] = useState(facts.investigation_feedback ?? "");
  const [done, setDone] = useState(facts.action_taken ?? "");
  const { isSending, problem, send } = useSending();
  const take = async (quality_rating: QualityRating) => {
    const isSaved = await send(async () => {
      const body = {
        session_ids: [store.id],
        action: facts.review_status === "reviewed" ? ("update_feedback" as const) : ("complete" as const),
        quality_rating,
        investigation_feedback: feedback,
        action_taken: done,
      };
      const { results } = await api.call("PATCH /api/v1/sessions/review", { body });
      const refused = results[0]?.error;
      if (refused !== undefined) throw new Error(refused);
    });
    if (!isSaved) return;
    close();
    await store.readFacts();
  };
  return (
    <dialog ref={dialog} class="dialog review-dialog" aria-labelledby="rating-title" onCancel={close}>
      <h2 id="rating-title">{LATER_TEXT.session.rating}</h2>
      <Field label={TEXTS.feedback} hint={TEXTS.feedbackHint} value={feedback} setValue={setFeedback} />
      <Field label={TEXTS.action} value={done} setValue={setDone} />
      <div class="dialog-buttons">
        {QUALITY_RATINGS.map((rating) => (
          <button
            key={rating}
            type="button"
            class="button"
            disabled={isSending}
            aria-pressed={facts.quality_rating === rating}
            onClick={() => void take(rating)}
          >
            {TEXT.ratings[rating]}
          </button>
        ))}
        <button type="button" class="button plain" onClick={close}>
          {TEXT.app.close}
        </button>
      </div>
      <Problem text={problem} />
    </dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly setValue: (value: string) => void;
}

function Field({ label, hint, value, setValue }: FieldProps) {
  return (
    <label>
      {label} {hint !== undefined && <span class="soft small">{hint}</span>}
      <textarea
        rows={3}
        maxLength={MAX_CHARACTERS}
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
    </label>
  );
}
