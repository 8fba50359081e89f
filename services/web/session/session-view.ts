import type {
  ParkedBy,
  ApprovalState,
  RunStatus,
  SessionStatus,
  StageType,
  TimelineEventType,
  TimelineStatus,
} from "#shared/contracts/statuses.ts";
import type { ConclusionStatus } from "#shared/contracts/conclusion.ts";
import type { ReviewStatus } from "#shared/contracts/review.ts";
import type { ScoreStatus } from "#shared/contracts/scoring.ts";

/** The question whether a tool call may be made. */
export interface AskedApproval {
  readonly id: string;
  /** "server.tool" */
  readonly tool: string;
  readonly arguments: string;
  readonly argumentsComplete: boolean;
  readonly expiresAt: string;
  readonly state: ApprovalState;
  readonly decidedBy: string | null;
  readonly reason: string | null;
}

/** What a tool call was made with. */
interface ToolCall {
  readonly server: string;
  readonly tool: string;
  /** As the model wrote them. */
  readonly arguments: string;
}

/** One thing that an agent did. It is replaced when it changes, so that a row can compare by identity. */
export interface TimelineEntry {
  /** The `event_id`; of a question, its approval. */
  readonly id: string;
  readonly type: TimelineEventType | "approval";
  readonly executionId: string;
  /** The number of the event that opened it. */
  readonly seq: number;
  /** Orders the entries of an execution. */
  readonly sequence: number;
  readonly status: TimelineStatus;
  /** Of a tool call its result, empty before that. Of an open entry empty: its text is in the live texts. */
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly startedAt: string;
  /** Undefined while it is open. */
  readonly endedAt: string | undefined;
  /** How long it took where that is known better than from its ends: a call without its wait, a thought without the answer. */
  readonly durationMs: number | undefined;
  readonly call: ToolCall | undefined;
  readonly approval: AskedApproval | undefined;
  /** Of an error that stands for equal ones before it: how many there are. */
  readonly repeats?: number;
}

/** The agent that started another one. */
interface LaneParent {
  readonly executionId: string;
  readonly agent: string;
}

/** One agent's run within a stage. */
export interface AgentLane {
  readonly executionId: string;
  readonly stageId: string;
  readonly agent: string;
  /** The agent that started it; undefined for one of the chain. */
  readonly parent: LaneParent | undefined;
  /** From 1 within the stage, or below the parent. */
  readonly index: number;
  /** It combines the results of the stage's other agents. */
  readonly isSynthesis: boolean;
  readonly status: RunStatus;
  readonly error: string | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** By `sequence`. */
  readonly entries: readonly TimelineEntry[];
  /** Rises with every change of the lane or of an entry. */
  readonly revision: number;
}

/** A stage of the chain, or work on a session that has ended. */
export interface StageView {
  readonly id: string;
  readonly name: string;
  /** From 1 in the chain; work after the end of the session has later numbers. */
  readonly index: number;
  readonly type: StageType;
  readonly status: RunStatus;
  /** The number of the event that began it. */
  readonly seq: number;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  /** How many agents it has, without the synthesis; 0 if that is not known. */
  readonly expectedAgents: number;
  /** By index, without the synthesis; behind each the agents that it started. */
  readonly lanes: readonly AgentLane[];
  readonly synthesis: AgentLane | undefined;
}

/** How far a session is, in words. */
interface StageProgress {
  readonly stage: number;
  readonly stages: number;
  readonly name: string;
  readonly active: number;
  readonly text: string;
}

/** Who parked a session, and when. */
interface Parking {
  readonly by: ParkedBy;
  readonly actor?: string;
  readonly at: string;
}

/** What the review of a session says. */
interface ReviewView {
  readonly status: ReviewStatus;
  readonly assignee: string | undefined;
}

/** Another executor went on with a session after the one before was lost. */
interface Takeover {
  readonly at: string;
  /** Since the last sign of life of the one that was lost. */
  readonly silentMs: number;
}

/** How the judge of a session is getting on. */
export interface ScoringView {
  /** Of the newest scoring. */
  readonly id: string;
  readonly status: ScoreStatus;
  /** From 0 to 100, of the newest scoring that has one. */
  readonly score: number | undefined;
  /** The number of the event that said so. */
  readonly seq: number;
}

/** What the agents concluded, and how many of the quotes for it were found. */
export interface CheckedView {
  readonly status: ConclusionStatus;
  readonly verified: number;
  readonly total: number;
  /** The number of the event that said so; 0 until the events are read. */
  readonly seq: number;
}

/** A session as of one of its events. */
export interface SessionView {
  /** The number of the last event that is part of it; 0 before the first. */
  readonly seq: number;
  /** When that event was committed. */
  readonly at: string | undefined;
  readonly status: SessionStatus;
  readonly error: string | undefined;
  /** Undefined for one that is not parked. */
  readonly parked: Parking | undefined;
  readonly startedAt: string | undefined;
  /** Undefined until the end of the investigation; what is done with the session later does not change it. */
  readonly endedAt: string | undefined;
  /** Undefined before the first, and once the session has ended. */
  readonly progress: StageProgress | undefined;
  /** In the order of the chain. */
  readonly stages: readonly StageView[];
  /** What was done with the session after its end, oldest first: answers to questions, and scorings. */
  readonly followUps: readonly StageView[];
  /** Undefined for a session that was never scored. */
  readonly scoring: ScoringView | undefined;
  readonly summary: TimelineEntry | undefined;
  /** Undefined for a session whose agents state no conclusion as data. */
  readonly conclusion: CheckedView | undefined;
  readonly review: ReviewView | undefined;
  /** Of the investigation, oldest first. */
  readonly takeovers: readonly Takeover[];
  /** Calls of models and of tools that are recorded. */
  readonly interactions: { readonly llm: number; readonly mcp: number };
}

/** Every lane of the investigation, stage by stage, a synthesis behind the agents whose results it combines. */
export function lanesOf({ stages }: Pick<SessionView, "stages">): AgentLane[] {
  return stages.flatMap(({ lanes, synthesis }) => (synthesis === undefined ? lanes : [...lanes, synthesis]));
}

/** Those, and behind them the lanes of what was done after the end. */
export function allLanesOf({ stages, followUps }: Pick<SessionView, "stages" | "followUps">): AgentLane[] {
  return lanesOf({ stages: [...stages, ...followUps] });
}

/** The questions that wait for a decision, oldest first. */
export function openApprovals(view: Pick<SessionView, "stages" | "followUps">): TimelineEntry[] {
  return allLanesOf(view).flatMap(({ entries }) =>
    entries.filter(({ approval }) => approval?.state === "awaiting_approval"),
  );
}

/**
 * The conclusion of a session: the final analysis of its last stage with one, that of a synthesis before those of the agents
 * that it combines. Undefined while there is none.
 */
export function finalAnalysis({ stages }: Pick<SessionView, "stages">): TimelineEntry | undefined {
  for (const { lanes, synthesis } of stages.toReversed()) {
    for (const lane of [synthesis, ...lanes.toReversed()]) {
      // What a sub-agent found is a part of what its parent concludes.
      if (lane?.parent !== undefined) continue;
      const found = lane?.entries.findLast(({ type }) => type === "final_analysis");
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
