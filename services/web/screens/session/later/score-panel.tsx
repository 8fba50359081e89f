import "./score-panel.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { SCORED_BY_ITSELF } from "#shared/contracts/statuses.ts";
import { api } from "../../../api/client.ts";
import { RemoteState } from "../../../parts/remote-state.tsx";
import { Moment } from "../../../parts/time.tsx";
import { useRemote } from "../../../parts/use-remote.ts";
import { scoreBand } from "../../../session/score-band.ts";
import { type ScoringView, lanesOf, type StageView } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { SCORE_ANCHOR } from "../follow-ups-part.tsx";
import { ModelText } from "../model-text.tsx";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { Problem } from "./problem.tsx";
import { useSending } from "./use-sending.ts";
import { StageBand } from "../stage-band.tsx";

interface JudgeWorkProps {
  /** Scorings, and what was learned from feedback. */
  readonly stages: readonly StageView[];
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** What the judge of a session was doing, step by step; closed unless the reader looks for a part of it. */
function JudgeWork({ stages, store, target, reveal }: JudgeWorkProps) {
  const [isOpen, setOpen] = useState(false);
  const [seenTarget, setSeenTarget] = useState<string>();
  const isNamed = lanesOf({ stages }).some(({ entries }) => entries.some(({ id }) => id === target));
  const wanted = isNamed ? target : undefined;
  if (wanted !== seenTarget) {
    // The reader may close it again.
    setSeenTarget(wanted);
    if (wanted !== undefined) setOpen(true);
  }
  useEffect(reveal);
  if (stages.length === 0) return null;
  return (
    <details
      class="follow-up-text"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h3>{LATER_TEXT.score.work}</h3>
      </summary>
      {isOpen &&
        stages.map((stage) => <StageBand key={stage.id} stage={stage} store={store} target={target} />)}
    </details>
  );
}

const TEXTS = LATER_TEXT.score;
const STATES: Readonly<Record<string, string>> = TEXTS.states;
const TAGS: Readonly<Record<string, string>> = TEXTS.tags;
/** So many characters of a hash tell two apart. */
const SHOWN_HASH = 12;

type Score = ApiResponse<"GET /api/v1/sessions/:id/score">;

interface ScorePanelProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** How well a judge says that a session was investigated, how a scoring stands, and the button that asks for one. */
export function ScorePanel({ store, facts, target, reveal }: ScorePanelProps) {
  const { scoring, followUps } = store.view.value;
  const isPast = store.at.value !== undefined;
  const mayScore = facts.may_change && !isPast;
  if (scoring === undefined && !mayScore) return null;
  const state = scoring === undefined ? TEXTS.none : (STATES[scoring.status] ?? scoring.status);
  return (
    <section id={SCORE_ANCHOR} class="follow-up-panel" aria-labelledby="score-title">
      <div class="score-head">
        <h2 id="score-title">{TEXTS.title}</h2>
        {scoring?.score !== undefined && <ScoreNumber score={scoring.score} />}
        <span role="status" class={`small ${scoring?.status === "failed" ? "problem" : "soft"}`}>
          {state}
        </span>
        {mayScore && !isPending(scoring) && <ScoreButton store={store} isAgain={scoring !== undefined} />}
      </div>
      {scoring !== undefined && <Details scoring={scoring} store={store} facts={facts} />}
      <JudgeWork
        stages={followUps.filter(({ type }) => type === "scoring")}
        store={store}
        target={target}
        reveal={reveal}
      />
    </section>
  );
}

/** True while a judge has to do with it. */
function isPending(scoring: ScoringView | undefined): boolean {
  return scoring !== undefined && ["pending", "in_progress", "memorizing"].includes(scoring.status);
}

function ScoreNumber({ score }: { readonly score: number }) {
  const band = scoreBand(score);
  return (
    <p class={`score-number ${band}`}>
      <b>{score}</b> <span class="small">{TEXTS.of}</span> <span>{TEXTS.bands[band]}</span>
    </p>
  );
}

interface ScoreButtonProps {
  readonly store: SessionStore;
  readonly isAgain: boolean;
}

function ScoreButton({ store, isAgain }: ScoreButtonProps) {
  const { isSending, problem, send } = useSending();
  const request = async () => api.call("POST /api/v1/sessions/:id/score", { params: { id: store.id } });
  return (
    <>
      <button type="button" class="button" disabled={isSending} onClick={() => void send(request)}>
        {isAgain ? TEXTS.again : TEXTS.score}
      </button>
      <Problem text={problem} />
    </>
  );
}

interface DetailsProps {
  readonly scoring: ScoringView;
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** What the judge wrote, read again with each change of the scoring. */
function Details({ scoring, store, facts }: DetailsProps) {
  const remote = useRemote(store.id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/score", { params: { id: store.id }, signal }),
  );
  const { reload, value: score } = remote;
  const newest = store.version.value < 0 ? undefined : store.fold.view.scoring?.seq;
  const readFor = useRef(newest);
  useEffect(() => {
    if (readFor.current !== newest) reload();
    readFor.current = newest;
  }, [newest]);
  // As of an earlier moment there is only what the events said.
  const isShown = score !== undefined && score.score_id === scoring.id && score.status === scoring.status;
  return (
    <>
      <RemoteState remote={remote} />
      {isShown && <Opinion score={score} judge={judgeOf(score, facts)} />}
    </>
  );
}

function judgeOf({ stage_id }: Score, { stages }: SessionFacts): string | undefined {
  const [execution] = stages.find((stage) => stage.stage_id === stage_id)?.executions ?? [];
  if (execution === undefined) return undefined;
  const { llm_provider, model_name } = execution;
  return [llm_provider, model_name].filter((name) => name !== null && name !== undefined).join(" · ");
}

function Opinion({ score, judge }: { readonly score: Score; readonly judge: string | undefined }) {
  const { error_message, failure_tags, score_analysis, tool_improvement_report, prompt_hash } = score;
  const by = score.score_triggered_by;
  return (
    <>
      {error_message !== null && <p class="problem">{shownText(error_message)}</p>}
      {failure_tags.length > 0 && (
        <ul class="score-tags" aria-label={TEXTS.tagsTitle}>
          {failure_tags.map((tag) => (
            <li key={tag} class="tag">
              {TAGS[tag] ?? shownText(tag)}
            </li>
          ))}
        </ul>
      )}
      <Part title={TEXTS.analysis} text={score_analysis} />
      <Part title={TEXTS.tools} text={tool_improvement_report} />
      <p class="soft small">
        {by === SCORED_BY_ITSELF ? TEXTS.byItself : TEXTS.by(shownText(personName(by)))},{" "}
        <Moment time={score.created_at} />
        {judge !== undefined && judge !== "" && ` · ${TEXTS.judge(shownText(judge))}`}
        {prompt_hash !== null && (
          <>
            {" · "}
            <span title={TEXTS.hashHint}>
              {TEXTS.hash} <code>{shownText(prompt_hash.slice(0, SHOWN_HASH))}</code>
            </span>
          </>
        )}
      </p>
    </>
  );
}

function Part({ title, text }: { readonly title: string; readonly text: string | null }) {
  if (text === null || text === "") return null;
  return (
    <details class="follow-up-text">
      <summary>
        <h3>{title}</h3>
      </summary>
      <ModelText text={text} isMarkdown label={title} />
    </details>
  );
}
