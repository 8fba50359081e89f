import { useMemo } from "preact/hooks";
import { StatusDot } from "../../parts/status-dot.tsx";
import { shownEntries } from "../../session/describe-entry.ts";
import type { AgentLane } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { EntryList } from "./entry-list.tsx";
import { RunTime } from "./run-time.tsx";
import type { SessionStore } from "./session-store.ts";
import { standing } from "./standing.ts";
import "./lane-column.css";

interface LaneColumnProps {
  readonly lane: AgentLane;
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** False where a tab above it names the agent. */
  readonly hasHead: boolean;
}

/** The name under which a lane is shown. */
export function laneName({ agent, parent, index, isSynthesis }: AgentLane): string {
  if (isSynthesis) return TEXT.session.synthesis;
  const name = TEXT.session.agent(agent, index);
  return shownText(parent === undefined ? name : TEXT.session.subAgent(parent.agent, name));
}

/** What one agent did, from top to bottom. */
export function LaneColumn({ lane, store, target, hasHead }: LaneColumnProps) {
  const entries = useMemo(() => shownEntries(lane), [lane]);
  const doing =
    store.version.value >= 0 && store.at.value === undefined ? store.fold.doing(lane.executionId) : undefined;
  return (
    <section class={lane.parent === undefined ? "lane" : "lane sub-agent"} aria-label={laneName(lane)}>
      {hasHead ? <LaneHead lane={lane} store={store} /> : <h3 class="hidden-text">{laneName(lane)}</h3>}
      {lane.error !== undefined && lane.status !== "cancelled" && !isShownBelow(lane) && (
        <p class="problem">{shownText(lane.error)}</p>
      )}
      {entries.length === 0 && <p class="soft small lane-note">{TEXT.session.empty}</p>}
      <EntryList entries={entries} store={store} target={target} />
      {doing !== undefined && lane.endedAt === undefined && (
        <p class="soft small lane-note">{shownText(doing)}…</p>
      )}
    </section>
  );
}

/** An agent's error is most often its last entry, too. */
function isShownBelow({ error, entries }: AgentLane): boolean {
  return entries.some(({ type, content }) => type === "error" && content.includes(error ?? ""));
}

/** An agent's name, status and time. */
function LaneHead({ lane, store }: { readonly lane: AgentLane; readonly store: SessionStore }) {
  return (
    <h3 class="lane-head">
      <StatusDot status={standing(lane.status, [lane], store)} compact />
      <span class="lane-name">{laneName(lane)}</span>
      {lane.startedAt !== undefined && (
        <span class="soft small">
          <RunTime since={lane.startedAt} until={lane.endedAt} store={store} />
        </span>
      )}
    </h3>
  );
}
