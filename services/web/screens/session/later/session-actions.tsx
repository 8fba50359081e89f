import { useState } from "preact/hooks";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { may } from "../../../api/me.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Menu } from "../../../parts/menu.tsx";
import type { SessionView } from "../../../session/session-view.ts";
import { TEXT } from "../../../text.ts";
import { concludedOf } from "../conclusion.tsx";
import { offersQuestions } from "../follow-ups-part.tsx";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { traceOf } from "../trace-of.ts";
import { ClaimButton, ReviewButtons } from "./review-buttons.tsx";
import { LATER_TEXT } from "./later-text.ts";
import { api, failureText } from "../../../api/client.ts";
import { useKeys } from "../../../keys.ts";
import { ConfirmQuestion } from "../../../parts/confirm-question.tsx";

/** Cancels a session, after a question. */
function CancelButton({ store }: { readonly store: SessionStore }) {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  useKeys({ x: [TEXT.session.keys.cancel, () => setAsking(true)] });
  const cancel = async () => {
    try {
      await api.call("POST /api/v1/sessions/:id/cancel", { params: { id: store.id } });
      setProblem(undefined);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        {TEXT.session.cancel}
      </button>
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
      {isAsking && (
        <ConfirmQuestion
          texts={TEXT.cancel}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) void cancel();
          }}
        />
      )}
    </>
  );
}

/** Has a session give its place up, or go on; says why it does not. */
function ParkButton({ store, isParked }: { readonly store: SessionStore; readonly isParked: boolean }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      const route = isParked ? "POST /api/v1/sessions/:id/resume" : "POST /api/v1/sessions/:id/park";
      await api.call(route, { params: { id: store.id } });
      setProblem(undefined);
    } catch (error) {
      setProblem(failureText(error));
    }
    // A session that is to be parked after its step has no event of it.
    await store.readFacts();
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={() => void press()}>
        {isParked ? LATER_TEXT.session.resume : LATER_TEXT.session.park}
      </button>
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

interface SessionActionsProps {
  readonly store: SessionStore;
  readonly view: SessionView;
  readonly facts: SessionFacts | undefined;
}

/** What ends a session or has it wait; to be parked after its step, of which there is no event, counts as parked. */
function StopButtons({ store, view, facts }: SessionActionsProps) {
  if (facts?.may_change !== true) return null;
  const isParking = facts.parked !== undefined && facts.parked.at === undefined;
  return (
    <>
      {store.at.value === undefined && (
        <ParkButton store={store} isParked={view.parked !== undefined || isParking} />
      )}
      <CancelButton store={store} />
    </>
  );
}

/** What can be done with a session: what is needed most by buttons, the rest in a menu. */
export function SessionActions({ store, view, facts }: SessionActionsProps) {
  const status = store.status.value;
  const isOver = status !== undefined && isTerminal(status);
  const mayReview = isOver && facts?.may_change === true;
  const { summary, analysis } = concludedOf(store);
  const [said, setSaid] = useState<string>();
  return (
    <>
      {(status === "pending" || status === "in_progress") && (
        <StopButtons store={store} view={view} facts={facts} />
      )}
      {mayReview && <ReviewButtons store={store} facts={facts} />}
      <a class="button plain" href={traceOf(store)}>
        {TEXT.session.trace}
      </a>
      <span class="soft small" role="status">
        {said}
      </span>
      <Menu label={TEXT.session.more}>
        {mayReview && <ClaimButton store={store} facts={facts} />}
        {isOver && store.at.value === undefined && (summary ?? analysis) !== undefined && (
          <CopyButton
            value={() => conclusionText(store, view)}
            label={LATER_TEXT.session.copyConclusion}
            shortcut={["c", TEXT.session.keys.copyConclusion]}
            onSaid={setSaid}
          />
        )}
        <CopyButton
          value={() => location.href}
          label={LATER_TEXT.session.copyLink}
          shortcut={["y", TEXT.session.keys.copyLink]}
          onSaid={setSaid}
        />
        {isOver &&
          store.at.value === undefined &&
          facts !== undefined &&
          offersQuestions(facts, view.status) && (
            <a class="button" href="#question-text">
              {LATER_TEXT.session.ask}
            </a>
          )}
        {isOver && (
          <a class="button" href={`/compare/${store.id}`}>
            {TEXT.session.compareWith}
          </a>
        )}
        {isOver && may("alert.submit") && (
          <a class="button" href={`/new?from=${store.id}`}>
            {LATER_TEXT.session.resubmit}
          </a>
        )}
      </Menu>
    </>
  );
}

/** What is copied for others, as Markdown: what it was about and how it ended, the summary, the analysis, the address. */
function conclusionText(store: SessionStore, view: SessionView): string {
  const { title } = store;
  const { summary, analysis } = concludedOf(store);
  const parts = [
    `**${title.value ?? TEXT.titles.session}** (${TEXT.statuses[view.status]})`,
    view.error,
    summary,
    analysis,
    `${location.origin}${location.pathname}`,
  ];
  return parts.filter((part) => part !== undefined).join("\n\n");
}
