import { isTerminal } from "#shared/contracts/statuses.ts";
import type { SessionView } from "../../../session/session-view.ts";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { offersQuestions } from "../follow-ups-part.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { LATER_TEXT } from "./later-text.ts";
import { QuestionBox } from "./question-box.tsx";
import "./chat-lane.css";

const TEXTS = LATER_TEXT.chat;

interface ChatLaneProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  readonly target: string | undefined;
}

/** What people asked about an investigation, with the answers, and where they ask. Nothing where that cannot be done and nobody did. */
export function ChatLane({ store, facts, target }: ChatLaneProps) {
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
