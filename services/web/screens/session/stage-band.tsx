import { useState } from "preact/hooks";
import { StatusDot } from "../../parts/status-dot.tsx";
import type { AgentLane, StageView } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { LaneColumn, laneName } from "./lane-column.tsx";
import { RunTime } from "./run-time.tsx";
import type { SessionStore } from "./session-store.ts";
import { isNarrow } from "./window-width.ts";
import { standing } from "./standing.ts";
import "./stage-band.css";

/** So many agents are shown side by side. */
const MAX_COLUMNS = 4;

interface StageBandProps {
  readonly stage: StageView;
  readonly store: SessionStore;
  readonly target: string | undefined;
}

/** A stage: its agents side by side, or as tabs where there is no room, and below them what combines their results. */
export function StageBand({ stage, store, target }: StageBandProps) {
  const { lanes, synthesis, status, startedAt, endedAt } = stage;
  const agents = agentsOf(lanes).length;
  const waiting = stage.expectedAgents - agents;
  return (
    <section class={`stage ${status}`} aria-labelledby={`stage-${stage.id}`}>
      <header class="stage-head">
        <h2 id={`stage-${stage.id}`}>{TEXT.session.stage(stage.index, shownText(stage.name))}</h2>
        <StatusDot status={standing(status, lanes, store)} />
        {stage.type === "action" && <span class="tag">{TEXT.session.action}</span>}
        <span class="soft small stage-facts">
          {TEXT.session.agents(Math.max(agents, stage.expectedAgents))}
          {waiting > 0 && endedAt === undefined && ` · ${TEXT.session.waitingAgents(waiting)}`}
          {" · "}
          <RunTime since={startedAt} until={endedAt} store={store} />
        </span>
      </header>
      <Lanes stage={stage} store={store} target={target} />
      {synthesis !== undefined && (
        <div class="synthesis">
          <LaneColumn lane={synthesis} store={store} target={target} hasHead />
        </div>
      )}
    </section>
  );
}

function Lanes({ stage, store, target }: StageBandProps) {
  const { lanes } = stage;
  const agents = agentsOf(lanes);
  const hasTabs = agents.length > MAX_COLUMNS || (isNarrow.value && lanes.length > 1);
  if (hasTabs) return <LaneTabs stage={stage} store={store} target={target} />;
  return (
    <div class={`lanes columns-${agents.length}`}>
      {agents.map((agent) => (
        <div key={agent.executionId}>
          {[agent, ...lanes.filter(({ parent }) => parent?.executionId === agent.executionId)].map((lane) => (
            <LaneColumn key={lane.executionId} lane={lane} store={store} target={target} hasHead />
          ))}
        </div>
      ))}
    </div>
  );
}

/** The agents of the stage, without those that they started. */
function agentsOf(lanes: readonly AgentLane[]): readonly AgentLane[] {
  return lanes.filter(({ parent }) => parent === undefined);
}

function LaneTabs({ stage, store, target }: StageBandProps) {
  const { lanes } = stage;
  const [chosen, choose] = useState<string>();
  const [seenTarget, setSeenTarget] = useState<string>();
  const named = lanes.find(({ entries }) => entries.some(({ id }) => id === target));
  const wanted = named === undefined ? undefined : target;
  if (wanted !== seenTarget) {
    // The tab of an entry that the search or the address names opens, once its event has come; the reader may then go on.
    setSeenTarget(wanted);
    if (named !== undefined) choose(named.executionId);
  }
  const shown = lanes.find(({ executionId }) => executionId === chosen) ?? firstTelling(lanes);
  if (shown === undefined) return null;
  const panel = `panel-${stage.id}`;
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = lanes.at((lanes.indexOf(shown) + step) % lanes.length);
    if (next === undefined) return;
    choose(next.executionId);
    document.querySelector<HTMLElement>(`#${CSS.escape(`tab-${next.executionId}`)}`)?.focus();
  };
  return (
    <>
      <div class="lane-tabs" role="tablist" aria-label={stage.name} onKeyDown={move}>
        {lanes.map((lane) => (
          <button
            key={lane.executionId}
            id={`tab-${lane.executionId}`}
            type="button"
            role="tab"
            aria-selected={lane === shown}
            aria-controls={panel}
            tabIndex={lane === shown ? 0 : -1}
            onClick={() => choose(lane.executionId)}
          >
            <StatusDot status={standing(lane.status, [lane], store)} compact />
            <span>{laneName(lane)}</span>
            <span class="soft small numbers">{lane.entries.length}</span>
          </button>
        ))}
      </div>
      <div id={panel} role="tabpanel" aria-labelledby={`tab-${shown.executionId}`} class="lanes columns-1">
        <LaneColumn key={shown.executionId} lane={shown} store={store} target={target} hasHead={false} />
      </div>
    </>
  );
}

/** Before the reader chooses: the agent that runs, else one that failed, else the first. */
function firstTelling(lanes: readonly AgentLane[]): AgentLane | undefined {
  return (
    lanes.find(({ status }) => status === "active") ??
    lanes.find(({ status }) => status !== "completed") ??
    lanes[0]
  );
}
