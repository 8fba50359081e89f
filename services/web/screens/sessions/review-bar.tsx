import { useState } from "preact/hooks";
import { api, failureText } from "../../api/client.ts";
import { ConfirmQuestion } from "../../parts/confirm-question.tsx";
import { TEXT } from "../../text.ts";
import { LATER_TEXT } from "../session/later/later-text.ts";
import { LIST_TEXT as texts } from "./list-text.ts";
import "./review-bar.css";

/** At most so many sessions in one request. */
const MAX_SESSIONS = 50;

const STEPS = ["acknowledge", "claim", "reopen"] as const;
const RATINGS = ["accurate", "partially_accurate", "inaccurate"] as const;
type ReviewChoice =
  | { readonly action: (typeof STEPS)[number] }
  | { readonly action: "complete"; readonly quality_rating: (typeof RATINGS)[number] };

export interface ReviewBarProps {
  readonly ids: readonly string[];
  /** Called with the ids that could not be changed. */
  readonly onDone: (failed: readonly string[]) => void;
}

async function review(ids: readonly string[], step: ReviewChoice) {
  const results: { readonly session_id: string; readonly success: boolean; readonly error?: string }[] = [];
  for (let start = 0; start < ids.length; start += MAX_SESSIONS) {
    const answer = await api.call("PATCH /api/v1/sessions/review", {
      body: {
        session_ids: ids.slice(start, start + MAX_SESSIONS),
        ...step,
        ...(step.action === "claim" ? { expected: UNCLAIMED } : {}),
      },
    });
    results.push(...answer.results);
  }
  return results;
}

/** A claim takes nothing from others. */
const UNCLAIMED = { review_status: "needs_review", assignee: null } as const;

/** What can be done with the selected sessions. */
export function ReviewBar({ ids, onDone }: ReviewBarProps) {
  const [said, setSaid] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const take = async (step: ReviewChoice) => {
    setBusy(true);
    try {
      const results = await review(ids, step);
      const failed = results.filter(({ success }) => !success);
      setSaid(
        failed.length === 0
          ? texts.reviewed(results.length)
          : texts.reviewFailed(failed.length, failed[0]?.error ?? ""),
      );
      onDone(failed.map(({ session_id: id }) => id));
    } catch (error) {
      setSaid(texts.reviewFailed(ids.length, failureText(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="review-bar" hidden={ids.length === 0 && said === ""}>
      {ids.length > 0 && (
        <div class="review-steps" role="group" aria-label={texts.selected(ids.length)}>
          <strong class="numbers">{texts.selected(ids.length)}</strong>
          {STEPS.map((action) => (
            <button
              key={action}
              type="button"
              class="button"
              disabled={isBusy}
              onClick={() => (action === "reopen" ? setAsking(true) : void take({ action }))}
            >
              {texts.actions[action]}
            </button>
          ))}
          <span class="soft">{texts.reviewAs}</span>
          {RATINGS.map((rating) => (
            <button
              key={rating}
              type="button"
              class="button"
              disabled={isBusy}
              onClick={() => void take({ action: "complete", quality_rating: rating })}
            >
              {TEXT.ratings[rating]}
            </button>
          ))}
          {ids.length === 2 && (
            <a class="button" href={`/compare/${ids.join("/")}`}>
              {texts.compare}
            </a>
          )}
          <button type="button" class="button plain" onClick={() => onDone([])}>
            {texts.unselect}
          </button>
        </div>
      )}
      {isAsking && (
        <ConfirmQuestion
          texts={LATER_TEXT.review.questions.reopen}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) void take({ action: "reopen" });
          }}
        />
      )}
      <p role="status" class="small">
        {said}
      </p>
    </div>
  );
}
