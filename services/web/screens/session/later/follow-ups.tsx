import "./chat-lane.css";
import { useEffect } from "preact/hooks";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { IncidentPanel } from "./incident-panel.tsx";
import { MemoriesPanel } from "./memories-panel.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { ScorePanel } from "./score-panel.tsx";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { SessionView } from "../../../session/session-view.ts";
import { offersQuestions } from "../follow-ups-part.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { LATER_TEXT } from "./later-text.ts";
import { QuestionBox } from "./question-box.tsx";

const TEXTS = LATER_TEXT.chat;

interface ChatLaneProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  readonly target: string | undefined;
}

/** What people asked about an investigation, with the answers, and where they ask. Nothing where that is not possible and there is no question. */
function ChatLane({ store, facts, target }: ChatLaneProps) {
  const view = store.view.value;
  const isPast = store.at.value !== undefined;
  const stages = view.followUps.filter(({ type }) => type === "chat");
  const mayAsk = offersQuestions(facts, view.status);
  if (stages.length === 0 && (!mayAsk || isPast)) return null;
  return (
    <section class="chat-lane" aria-labelledby="chat-title">
      <h2 id="chat-title">{TEXTS.title}</h2>
      {stages.map((stage) => (
        <ExchangeView key={stage.id} stage={stage} store={store} target={target} />
      ))}
      <p class="hidden-text" role="status">
        {isPast ? "" : stateOf(view)}
      </p>
      {mayAsk && !isPast && <QuestionBox store={store} facts={facts} />}
    </section>
  );
}

/** How the latest question stands, for those who do not see it. */
function stateOf({ followUps }: SessionView): string {
  const status = followUps.findLast(({ type }) => type === "chat")?.status;
  if (status === undefined) return "";
  return isTerminal(status) ? TEXTS.ended[status] : TEXTS.answering;
}

interface FollowUpsProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** What belongs to an investigation: the alerts of its incident, its score, what was learned from it, and the questions about it. */
export function FollowUps({ store, facts, target, reveal }: FollowUpsProps) {
  const hasEnded = store.view.value.endedAt !== undefined;
  useEffect(reveal);
  return (
    <>
      {facts.alert_group && <IncidentPanel id={store.id} group={facts.alert_group} />}
      {hasEnded && <ReviewPanel store={store} facts={facts} />}
      {hasEnded && <ScorePanel store={store} facts={facts} target={target} reveal={reveal} />}
      {facts.memory_enabled && <MemoriesPanel store={store} />}
      {hasEnded && <ChatLane store={store} facts={facts} target={target} />}
    </>
  );
}
