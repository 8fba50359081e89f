import { useMemo } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Moment } from "../../../parts/time.tsx";
import { anchorOf } from "../../../session/anchor-of.ts";
import { exchangeOf, type CallExchange } from "../../../session/exchange-of.ts";
import type { TimelineEntry, StageView } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import { EntryContent } from "../entry-body.tsx";
import { EntryList } from "../entry-list.tsx";
import { LaneColumn } from "../lane-column.tsx";
import { ModelText } from "../model-text.tsx";
import { RunTime } from "../run-time.tsx";
import type { SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import "./exchange-view.css";

const TEXTS = LATER_TEXT.chat;

interface ExchangeViewProps {
  readonly stage: StageView;
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
}

/** A question with what the agent did about it, and its answer as far as it is written. */
export function ExchangeView({ stage, store, target }: ExchangeViewProps) {
  const exchange = useMemo(() => exchangeOf(stage), [stage]);
  const { question, author, steps, answer, subAgents } = exchange;
  const name = author === undefined ? TEXT.session.unknownPerson : shownText(personName(author));
  const time = question?.startedAt ?? stage.startedAt;
  return (
    <article class="exchange" aria-label={TEXTS.questionOf(name)}>
      <h3 class="exchange-head small">
        <b>{name}</b>{" "}
        <span class="soft">
          <Moment time={time} />
        </span>
      </h3>
      {question !== undefined && (
        <div id={anchorOf(question.id)} class={placeOf("exchange-question", question, target)}>
          <ModelText text={question.content} isMarkdown={false} label={TEXT.session.entry.user_question} />
        </div>
      )}
      {steps.length > 0 && <EntryList entries={steps} store={store} target={target} />}
      {subAgents.map((lane) => (
        <LaneColumn key={lane.executionId} lane={lane} store={store} target={target} hasHead />
      ))}
      {answer !== undefined && (
        <div id={anchorOf(answer.id)} class={placeOf("entry-body exchange-answer", answer, target)}>
          <EntryContent entry={answer} store={store} />
          {answer.status === "completed" && (
            <CopyButton class="plain small entry-copy" label={TEXTS.copy} value={answer.content} />
          )}
        </div>
      )}
      <Outcome stage={stage} exchange={exchange} store={store} />
    </article>
  );
}

function placeOf(name: string, { id }: TimelineEntry, target: string | undefined): string {
  return id === target ? `${name} target` : name;
}

interface OutcomeProps {
  readonly stage: StageView;
  readonly exchange: CallExchange;
  readonly store: SessionStore;
}

/** What the agent does at the moment, or why there is no whole answer. */
function Outcome({ stage, exchange: { lane, steps }, store }: OutcomeProps) {
  const { status, startedAt, endedAt } = stage;
  const time = <RunTime since={startedAt} until={endedAt} store={store} />;
  if (!isTerminal(status)) {
    const isPast = store.at.value !== undefined;
    const doing = isPast || store.version.value < 0 ? undefined : store.fold.doing(lane?.executionId ?? "");
    const text = lane?.startedAt === undefined ? TEXTS.waits : TEXTS.answering;
    return (
      <p class="exchange-state soft small">
        {doing === undefined ? text : `${shownText(doing)}…`} {time}
      </p>
    );
  }
  if (status === "completed") return null;
  const error = lane?.error;
  const isShown = steps.some(({ type, content }) => type === "error" && content.includes(error ?? ""));
  return (
    <p class={`exchange-state small ${status === "cancelled" ? "soft" : "problem"}`}>
      <b>{TEXTS.ended[status]}</b>
      {status !== "cancelled" && error !== undefined && !isShown && `: ${shownText(error)}`}
    </p>
  );
}
