import { isChainStage } from "#shared/contracts/statuses.ts";
import type { MessageOf, NumberedEvent } from "./session-message.ts";
import type { TimelineEntry, AgentLane, SessionView, StageView } from "./session-view.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A lane while it is built. */
export type WritableLane = Writable<Omit<AgentLane, "entries">> & { readonly entries: TimelineEntry[] };
type WritableStage = Writable<Omit<StageView, "lanes" | "synthesis">> & {
  readonly lanes: WritableLane[];
  synthesis: WritableLane | undefined;
};
type WritableView = Writable<Omit<SessionView, "stages" | "followUps">> & {
  readonly stages: WritableStage[];
  readonly followUps: WritableStage[];
};

/** The view while it is built, with the lookup of what events name. */
export class StagesView {
  readonly view: WritableView = {
    seq: 0,
    at: undefined,
    status: "pending",
    error: undefined,
    parked: undefined,
    startedAt: undefined,
    endedAt: undefined,
    progress: undefined,
    stages: [],
    followUps: [],
    scoring: undefined,
    summary: undefined,
    conclusion: undefined,
    review: undefined,
    takeovers: [],
    interactions: { llm: 0, mcp: 0 },
  };
  /** By execution. */
  readonly lanes = new Map<string, WritableLane>();

  readonly #copies = new Map<string, AgentLane>();

  /** A copy of the view; lanes that have not changed since the last one are the same objects. */
  snapshot(): SessionView {
    const { view } = this;
    const copy = (stage: WritableStage): StageView => ({
      ...stage,
      lanes: stage.lanes.map((lane) => this.#copyOf(lane)),
      synthesis: stage.synthesis && this.#copyOf(stage.synthesis),
    });
    return { ...view, stages: view.stages.map(copy), followUps: view.followUps.map(copy) };
  }

  #copyOf(lane: WritableLane): AgentLane {
    const before = this.#copies.get(lane.executionId);
    if (before?.revision === lane.revision) return before;
    const copy = { ...lane };
    this.#copies.set(lane.executionId, copy);
    return copy;
  }

  /** The stage with this id; undefined before its first event. */
  stage(id: string): WritableStage | undefined {
    const { stages, followUps } = this.view;
    return [...stages, ...followUps].find((stage) => stage.id === id);
  }

  /** Adds a stage, in the order of the chain or of what followed its end; what `about` does not say is guessed. */
  addStage(
    id: string,
    about: Partial<MessageOf<"stage.started" | "stage.completed">> & Pick<NumberedEvent, "seq" | "timestamp">,
  ): WritableStage {
    const type = about.stage_type ?? "investigation";
    const stages = this.view[isChainStage({ stage_type: type }) ? "stages" : "followUps"];
    const stage: WritableStage = {
      id,
      name: about.stage_name ?? "",
      index: about.stage_index ?? stages.length + 1,
      type,
      status: about.status ?? "active",
      seq: about.seq,
      startedAt: about.timestamp,
      endedAt: undefined,
      lanes: [],
      synthesis: undefined,
      expectedAgents: about.expected_agent_count ?? 0,
    };
    const before = stages.findLastIndex(({ index }) => index <= stage.index);
    stages.splice(before + 1, 0, stage);
    return stage;
  }

  /** The lane of an execution; it is added if this is the first event about it. */
  laneOf(
    about: Pick<NumberedEvent, "seq" | "timestamp"> & {
      readonly stage_id: string;
      readonly execution_id: string;
      readonly parent_execution_id?: string;
    },
    agent = "",
    index?: number,
  ): WritableLane {
    const { stage_id, execution_id, parent_execution_id: parentId, seq, timestamp } = about;
    const known = this.lanes.get(execution_id);
    if (known !== undefined) return known;
    const stage = this.stage(stage_id) ?? this.addStage(stage_id, { seq, timestamp });
    const position = index ?? stage.lanes.length + 1;
    const lane: WritableLane = {
      executionId: execution_id,
      stageId: stage_id,
      agent,
      parent:
        parentId === undefined
          ? undefined
          : { executionId: parentId, agent: this.lanes.get(parentId)?.agent ?? "" },
      index: position,
      isSynthesis: parentId === undefined && stage.expectedAgents > 0 && position > stage.expectedAgents,
      status: "active",
      error: undefined,
      startedAt: undefined,
      endedAt: undefined,
      entries: [],
      revision: 0,
    };
    this.lanes.set(execution_id, lane);
    if (lane.isSynthesis) stage.synthesis = lane;
    else stage.lanes.splice(placeOf(lane, stage.lanes), 0, lane);
    return lane;
  }
}

/** Where a lane comes among others: by index, and a sub-agent behind its parent and what that started before. */
function placeOf({ parent, index }: WritableLane, lanes: readonly WritableLane[]): number {
  if (parent === undefined) {
    const next = lanes.findIndex((other) => other.parent === undefined && other.index > index);
    return next === -1 ? lanes.length : next;
  }
  const siblings = lanes.findLastIndex(
    (other) => other.parent?.executionId === parent.executionId && other.index <= index,
  );
  const before =
    siblings === -1 ? lanes.findIndex((other) => other.executionId === parent.executionId) : siblings;
  return before === -1 ? lanes.length : before + 1;
}
