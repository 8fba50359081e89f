import { useMemo } from "preact/hooks";
import { failingText, parkedBy } from "#shared/client/session-state.ts";
import { useKeys } from "../../keys.ts";
import { now } from "../../parts/clock.ts";
import { durationText } from "../../parts/format.ts";
import { laterPart } from "../../parts/later-part.tsx";
import { Money, Tokens } from "../../parts/numbers.tsx";
import { StatusDot } from "../../parts/status-dot.tsx";
import { Moment } from "../../parts/time.tsx";
import { anchorOf } from "../../session/anchor-of.ts";
import { failedEntries } from "../../session/failed-entries.ts";
import { openApprovals, type SessionView } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { SCORE_ANCHOR } from "./follow-ups-part.tsx";
import { RunTime } from "./run-time.tsx";
import type { SessionFacts, SessionStore } from "./session-store.ts";
import { stateOf } from "./standing.ts";
import "./session-header.css";

const SessionActions = laterPart(async () => (await loadRare()).SessionActions);

interface SessionHeaderProps {
  readonly store: SessionStore;
  readonly view: SessionView;
  readonly target: string | undefined;
  readonly showEntry: (entryId: string) => void;
}

/** What one must know first: how the session stands, how long it takes and what it costs, and what can be done with it. */
export function SessionHeader({ store, view, target, showEntry }: SessionHeaderProps) {
  const facts = store.facts.value;
  const questions = store.at.value === undefined ? openApprovals(view) : [];
  const [question] = questions;
  // As of an earlier moment only its events say how the session stood.
  const isKnown = !store.isReading.value || (facts !== undefined && store.at.value === undefined);
  const failing = store.at.value === undefined ? facts?.failing : undefined;
  const state = stateOf(store);
  const shown = questions.find(({ id }) => id === target) ?? question;
  // A key alone decides nothing: it leads to the button, which Enter presses.
  const goTo = (button: "approve" | "deny") => {
    if (shown === undefined) return;
    showEntry(shown.id);
    requestAnimationFrame(() => {
      const place = document.querySelector(`#${CSS.escape(anchorOf(shown.id))}`);
      place?.querySelector<HTMLElement>(`.approval-buttons .${button}`)?.focus();
    });
  };
  useKeys({
    d: [TEXT.session.keys.question, () => question !== undefined && showEntry(question.id)],
    A: [TEXT.session.keys.approve, () => goTo("approve")],
    X: [TEXT.session.keys.deny, () => goTo("deny")],
  });
  return (
    <header class="session-header">
      <div class="session-title">
        <h1>{store.title.value ?? TEXT.titles.session}</h1>
        <Connection store={store} />
      </div>
      <div class="session-state">
        {isKnown && <StatusDot status={state.kind} />}
        <span role="status" class="session-progress small">
          {view.parked !== undefined && (
            <>
              {TEXT.session.since} <Moment time={view.parked.at} />, {shownText(parkedBy(view.parked))}
            </>
          )}
          {state.kind === "failing" && failing !== undefined && shownText(failingText(failing, now.value))}
          {state.kind !== "failing" &&
            view.parked === undefined &&
            view.progress !== undefined &&
            shownText(view.progress.text)}
        </span>
        <Failures view={view} target={target} showEntry={showEntry} />
        <Numbers facts={facts} view={view} store={store} />
        <div class="session-actions" role="group" aria-label={TEXT.session.actions}>
          <SessionActions store={store} view={view} facts={facts} />
        </div>
      </div>
      <Notice facts={facts} />
      <TakenOver view={view} />
      {question !== undefined && (
        <p class="session-question" role="alert">
          {TEXT.session.waits(questions.length)}{" "}
          <button type="button" class="button primary" onClick={() => showEntry(question.id)}>
            {TEXT.session.showQuestion}
          </button>
        </p>
      )}
    </header>
  );
}

/** What must be known about the truth of the session: a script or examples answered. */
function Notice({ facts }: Pick<NumbersProps, "facts">) {
  const notice = new Map<string, unknown>(Object.entries(facts?.session_metadata ?? {})).get("notice");
  return typeof notice === "string" && <p class="session-notice small">{shownText(notice)}</p>;
}

/** That an executor was lost with the session and another one went on, once or several times. */
function TakenOver({ view }: Pick<SessionHeaderProps, "view">) {
  const { takeovers } = view;
  const last = takeovers.at(-1);
  return (
    <p role="status" class="session-takeover small">
      {last !== undefined && (
        <>
          <span aria-hidden="true">↻ </span>
          {TEXT.session.takenOver(durationText(last.silentMs), takeovers.length)} (<Moment time={last.at} />)
        </>
      )}
    </p>
  );
}

/** How much failed; pressed again and again, it shows one failure after the other. */
function Failures({ view, target, showEntry }: Pick<SessionHeaderProps, "view" | "target" | "showEntry">) {
  const failed = useMemo(() => failedEntries(view), [view]);
  const showNext = () => {
    const index = failed.findIndex(({ id }) => id === target);
    const next = failed[(index + 1) % Math.max(1, failed.length)];
    if (next !== undefined) showEntry(next.id);
  };
  useKeys({ f: [TEXT.session.keys.failure, showNext] });
  if (failed.length === 0) return null;
  return (
    <button type="button" class="session-failures small" title={TEXT.session.nextFailure} onClick={showNext}>
      <span aria-hidden="true">✕ </span>
      {TEXT.session.failures(failed.length)}
    </button>
  );
}

function Connection({ store }: { readonly store: SessionStore }) {
  const state = store.connection.value;
  const text = TEXT.session.connection[state];
  if (text === "") return null;
  return (
    <span class={`connection small ${state}`} role="status">
      {text}
    </span>
  );
}

interface NumbersProps {
  readonly facts: SessionFacts | undefined;
  readonly view: SessionView;
  readonly store: SessionStore;
}

/** When it ran. The times of events differ by milliseconds from those of the session, which would change what is shown once they are read. */
function timesOf(view: SessionView, facts: SessionFacts | undefined) {
  if (facts === undefined || facts.completed_at === null) return view;
  return { startedAt: facts.started_at ?? undefined, endedAt: facts.completed_at };
}

function Numbers({ facts, view, store }: NumbersProps) {
  const { scoring } = view;
  const at = store.at.value;
  const { startedAt, endedAt } = timesOf(view, at === undefined ? facts : undefined);
  const past = store.past.value;
  // The numbers of the moment before stay until those of this one are known.
  const shown = at === undefined ? facts : past?.facts;
  return (
    <dl
      class="session-numbers small"
      aria-label={TEXT.session.facts}
      aria-busy={at !== undefined && past?.seq !== at && !store.hasOtherNumbers}
    >
      {facts !== undefined && (
        <div>
          <dt>{TEXT.session.age}</dt>
          <dd>
            <Moment time={facts.created_at} />
          </dd>
        </div>
      )}
      {startedAt !== undefined && (
        <div>
          <dt>{TEXT.session.duration}</dt>
          <dd>
            <RunTime since={startedAt} until={endedAt} store={store} />
          </dd>
        </div>
      )}
      {shown !== undefined && shown.total_tokens > 0 && (
        <div>
          <dt class="hidden-text">{TEXT.session.tokens}</dt>
          <dd>
            <Tokens count={shown.total_tokens} />
          </dd>
        </div>
      )}
      {shown?.estimated_cost_usd !== undefined && (
        <div>
          <dt>{TEXT.session.cost}</dt>
          <dd>
            <Money usd={shown.estimated_cost_usd} isComplete={shown.cost_completeness === "complete"} />
          </dd>
        </div>
      )}
      {(scoring?.score !== undefined || scoring?.status === "failed") && (
        <div>
          <dt>{TEXT.session.score}</dt>
          <dd>
            <a href={`#${SCORE_ANCHOR}`} class={scoring.status === "failed" ? "problem" : ""}>
              {scoring.status === "failed" ? TEXT.session.scoringFailed : scoring.score}
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}
