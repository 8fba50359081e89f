import { useState } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import type { ReviewAction } from "#shared/contracts/review.ts";
import { api, failureText } from "../../../api/client.ts";
import { me } from "../../../api/me.ts";
import { ConfirmQuestion } from "../../../parts/confirm-question.tsx";
import { shownText } from "../../../session/shown-text.ts";
import type { SessionItem } from "../../sessions/list-filters.ts";
import { LATER_TEXT } from "./later-text.ts";

const { questions } = LATER_TEXT.review;

/** A review as the reader sees it. */
type SeenReview = Pick<SessionItem, "id" | "review_status" | "assignee">;

/** What the reader is asked before a step; undefined for one that takes nothing from anyone. */
function questionOf({ assignee }: SeenReview, action: ReviewAction) {
  if (action === "reopen") return questions.reopen;
  const isOthers = action === "unclaim" && assignee !== null && assignee !== (me.value?.name ?? NO_USER);
  return isOthers ? questions.unclaim(shownText(personName(assignee))) : undefined;
}

/**
 * Takes a step in the review of one session, unless another person was quicker: then `problem` says who. A step that takes away what others
 * have done is asked about first, by `question`. `reload` shows what has become of it.
 */
export function useReviewStep(reload: () => unknown) {
  const [problem, setProblem] = useState<string>();
  const [asked, ask] = useState<{ readonly seen: SeenReview; readonly action: ReviewAction }>();
  const send = async ({ id, review_status, assignee }: SeenReview, action: ReviewAction) => {
    if (review_status === null) return;
    setProblem(undefined);
    try {
      const body = { session_ids: [id], action, expected: { review_status, assignee } };
      const { results } = await api.call("PATCH /api/v1/sessions/review", { body });
      setProblem(results[0]?.error);
    } catch (error) {
      setProblem(failureText(error));
    }
    await reload();
  };
  const take = (seen: SeenReview, action: ReviewAction) => {
    if (questionOf(seen, action) === undefined) void send(seen, action);
    else ask({ seen, action });
  };
  const texts = asked && questionOf(asked.seen, asked.action);
  const question = asked !== undefined && texts !== undefined && (
    <ConfirmQuestion
      texts={texts}
      onAnswer={(isYes) => {
        ask(undefined);
        if (isYes) void send(asked.seen, asked.action);
      }}
    />
  );
  return { take, problem, question };
}
