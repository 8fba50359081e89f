import type { EVIDENCE_DELIVERIES } from "#shared/database/tables/alert-groups.ts";
import type { APPROVALS } from "#shared/database/tables/approvals.ts";
import type { BUDGET_LEDGER } from "#shared/database/tables/budgets.ts";
import type { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import type { FOLLOW_UPS } from "#shared/database/tables/follow-ups.ts";
import type { LLM_INTERACTIONS } from "#shared/database/tables/llm-interactions.ts";
import type { MCP_INTERACTIONS } from "#shared/database/tables/mcp-interactions.ts";
import type { SESSION_MEMORIES } from "#shared/database/tables/memories.ts";
import type { MESSAGES } from "#shared/database/tables/messages.ts";
import type { SESSION_SCORES } from "#shared/database/tables/session-scores.ts";
import type { STEERING_DELIVERIES } from "#shared/database/tables/steering.ts";
import type { Table, Written } from "#shared/database/tables/table.ts";
import type { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import type { TOOL_RESULTS } from "#shared/database/tables/tool-calls.ts";
import type { NotificationKind } from "#shared/contracts/webhook-message.ts";
import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { ScoreStatus } from "#shared/contracts/scoring.ts";
import type {
  FollowUpKind,
  ParallelType,
  RunStatus,
  StageType,
  SuccessPolicy,
  TerminalStatus,
  TimelineEventType,
  TimelineStatus,
} from "#shared/contracts/statuses.ts";
import type { CallOutcomeKind } from "#shared/contracts/recorded-tools.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { MemoryOrigin } from "#shared/contracts/memory.ts";
import type { JudgedScore, RankedMemory } from "../core/agent-state.ts";
import type { TokenUsage } from "./token-usage.ts";

/** The members of a row that a step inserts: the fence decides the rest, and `Without` keeps its default. */
type InsertedRow<T extends Table, Without extends keyof T["columns"]> = Omit<
  Written<T>,
  "session_id" | "seq" | Without
>;

/** The rows of one execution name its stage and itself. */
export interface OfExecution {
  readonly stage_id: string;
  readonly execution_id: string;
  /** The execution that started it, which its events name; absent unless it is a sub-agent. */
  readonly parent_execution_id?: string;
}

export interface NewStage {
  readonly stage_id: string;
  readonly stage_name: string;
  readonly stage_index: number;
  readonly expected_agent_count: number;
  readonly parallel_type: ParallelType | null;
  readonly success_policy: SuccessPolicy | null;
  readonly stage_type: StageType;
  /** It is no stage of the chain: the counters of the session's stages leave it out. */
  readonly is_follow_up?: true;
}

export interface NewExecution extends OfExecution {
  readonly agent_name: string;
  readonly agent_index: number;
  readonly iteration_strategy: IterationStrategy;
  readonly iteration_state: IterationState;
  readonly llm_provider: string;
  readonly llm_backend: string;
  readonly model_name: string;
  /** The task of a sub-agent; absent for others. */
  readonly task?: string;
  /** It combines the results of its stage's agents. */
  readonly is_synthesis?: true;
}

/** A provider as an execution's row names it. */
export type ProviderColumns = Pick<NewExecution, "llm_provider" | "llm_backend" | "model_name">;

/** How a stage or an execution ended; the errors are null where it completed. */
interface Ending {
  readonly status: TerminalStatus;
  readonly error_message: string | null;
  readonly error_code: string | null;
}

interface StageEnd extends Ending {
  readonly stage_id: string;
  /** It is no stage of the chain: the counters of the session's stages leave it out. */
  readonly is_follow_up?: true;
  /** Its agents' claim about actions; null or absent if none makes any. */
  readonly actions_claimed?: boolean | null;
  /** It is the last stage of the chain, all have completed, and it has an answer to summarize. */
  readonly is_summary_next?: boolean;
}

export interface ExecutionChange {
  readonly execution_id: string;
  /** Sets the status `active` and the time at which it started. */
  readonly starts?: true;
  /** Sets the status, its error and the time at which it ended. */
  readonly end?: Ending;
  readonly iteration_state?: IterationState;
  /** True for a sub-agent whose result is in the conversation of its parent. */
  readonly delivered?: true;
  /** True for a sub-agent that is to stop. */
  readonly cancels?: true;
  /** The provider in use from now on, and the one before, which is kept if it was the agent's own. */
  readonly provider?: { readonly next: ProviderColumns; readonly former: ProviderColumns };
  /** Added to those that it has used. */
  readonly tokens?: TokenUsage;
}

export type NewMessage = OfExecution & InsertedRow<typeof MESSAGES, "created_at">;

/** Another text of a message that no model has been sent yet. */
export interface MessageChange {
  readonly message_id: string;
  readonly execution_id: string;
  readonly content: string;
}

export type NewLlmInteraction = OfExecution &
  InsertedRow<typeof LLM_INTERACTIONS, "created_at"> & {
    /** For metrics only. */
    readonly provider_type: string;
    readonly duration_ms: number;
  };

export type NewMcpInteraction = OfExecution &
  InsertedRow<typeof MCP_INTERACTIONS, "created_at" | "available_tools" | "outcome"> & {
    readonly available_tools: readonly ToolDescription[] | null;
    readonly duration_ms: number;
    /** Null or absent for a listing. */
    readonly outcome?: CallOutcomeKind | null;
  };

export type NewTimelineRow = OfExecution &
  InsertedRow<typeof TIMELINE_EVENTS, "created_at" | "updated_at"> & {
    /** How long before its commit it was opened, in milliseconds; absent: it was not. */
    readonly age_ms?: number;
  };

export type NewConclusion = InsertedRow<typeof CONCLUSIONS, "created_at">;

/** How an open timeline row ends. */
export interface TimelineEnd {
  readonly event_id: string;
  readonly execution_id: string;
  readonly event_type: TimelineEventType;
  readonly status: Exclude<TimelineStatus, "streaming">;
  readonly content: string;
  readonly llm_interaction_id: string | null;
  /** Replaces that of the row; absent if it stays. */
  readonly metadata?: object;
}

/** Links a timeline row to the tool call that it announced. */
interface TimelineLink {
  readonly event_id: string;
  readonly mcp_interaction_id: string;
}

export interface SessionChange {
  readonly current_stage?: { readonly stage_id: string; readonly stage_index: number };
  /** Its agents go on without tools, or some of the tools, that they should have. */
  readonly degraded?: true;
  readonly end?: Ending & {
    readonly final_analysis: string | null;
    readonly executive_summary: string | null;
    readonly executive_summary_error: string | null;
  };
}

/** A tool call that a person is asked about. */
type NewApproval = InsertedRow<
  typeof APPROVALS,
  "state" | "requested_at" | "decided_at" | "decided_by" | "decided_via" | "reason"
>;

/** An agent has read what a person wrote to it. */
type NewSteeringDelivery = InsertedRow<typeof STEERING_DELIVERIES, "delivered_at">;

/** An agent has read the alerts of its incident up to `through`. */
type NewEvidenceDelivery = InsertedRow<typeof EVIDENCE_DELIVERIES, "delivered_at">;

/** A piece of work that begins with the end of its session. */
type NewFollowUp = Pick<
  Written<typeof FOLLOW_UPS>,
  "follow_up_id" | "kind" | "stage_id" | "config_hash" | "asked_by"
> & {
  /** The configuration with this hash. */
  readonly resolved_config: object;
};

type NewScore = Pick<
  Written<typeof SESSION_SCORES>,
  "score_id" | "stage_id" | "follow_up_id" | "score_triggered_by"
>;

/** How a scoring goes on. */
export interface ScoreChange {
  readonly score_id: string;
  readonly starts?: { readonly prompt_hash: string };
  /** The score is known; its lessons are drawn. */
  readonly memorizes?: JudgedScore;
  readonly end?: {
    readonly status: ScoreStatus;
    readonly error_message: string | null;
  } & Partial<JudgedScore>;
}

/** A text to remember, and its kind. */
export type Lesson = Pick<RankedMemory, "content" | "category" | "valence">;

/** A memory that the session adds. */
interface NewMemory extends Lesson {
  readonly memory_id: string;
  readonly base_confidence: number;
  readonly origin: MemoryOrigin;
}

/** A memory was confirmed, or shown to be wrong. */
interface MemoryChange {
  readonly memory_id: string;
  readonly change: "reinforce" | "deprecate";
}

/** A memory that an agent has got. */
type NewSessionMemory = InsertedRow<typeof SESSION_MEMORIES, "injected_at">;

/** How a piece of work on an ended session goes on. */
export interface FollowUpChange {
  readonly follow_up_id: string;
  /** For metrics only. */
  readonly kind: FollowUpKind;
  /** Sets the status `active`, the time at which it started, and its deadline, which is so many milliseconds later. */
  readonly starts?: { readonly timeout_ms: number };
  readonly end?: Ending;
}

/** The whole text of a large result of a built-in tool. */
type NewToolResult = InsertedRow<typeof TOOL_RESULTS, "created_at">;

/** The use of a call that has a reservation; the rest of the reservation is free again. */
export type BudgetSettlement = InsertedRow<typeof BUDGET_LEDGER, "created_at">;

/** News for the destinations of the session's plan. */
export interface NewNotification {
  readonly kind: NotificationKind;
  /** The identity of the news: news with the same one is sent only once. */
  readonly news: string;
  readonly payload: object;
}

/** The rows that a step inserts and changes, by table. */
export interface StepRows {
  readonly stages?: readonly NewStage[];
  readonly stageEnds?: readonly StageEnd[];
  readonly executions?: readonly NewExecution[];
  readonly executionChanges?: readonly ExecutionChange[];
  readonly messages?: readonly NewMessage[];
  readonly messageChanges?: readonly MessageChange[];
  readonly llmInteractions?: readonly NewLlmInteraction[];
  readonly mcpInteractions?: readonly NewMcpInteraction[];
  readonly toolResults?: readonly NewToolResult[];
  readonly timeline?: readonly NewTimelineRow[];
  readonly timelineEnds?: readonly TimelineEnd[];
  readonly timelineLinks?: readonly TimelineLink[];
  readonly conclusions?: readonly NewConclusion[];
  readonly approvals?: readonly NewApproval[];
  /** Questions that were not answered and cannot be answered any more. */
  readonly approvalEnds?: readonly { readonly approval_id: string }[];
  readonly steeringDeliveries?: readonly NewSteeringDelivery[];
  readonly evidenceDeliveries?: readonly NewEvidenceDelivery[];
  readonly followUps?: readonly NewFollowUp[];
  readonly scores?: readonly NewScore[];
  readonly scoreChanges?: readonly ScoreChange[];
  readonly newMemories?: readonly NewMemory[];
  readonly memoryChanges?: readonly MemoryChange[];
  readonly sessionMemories?: readonly NewSessionMemory[];
  readonly followUpChanges?: readonly FollowUpChange[];
  readonly budgetSettlements?: readonly BudgetSettlement[];
  readonly notifications?: readonly NewNotification[];
  readonly session?: SessionChange;
}

/** True for a status that a running execution or stage has. */
export function isOpen(status: RunStatus): boolean {
  return status === "pending" || status === "active";
}

/** The members with which a row or an event names its execution. */
export function ofExecution({ stage_id, execution_id, parent_execution_id }: OfExecution): OfExecution {
  return { stage_id, execution_id, ...(parent_execution_id === undefined ? {} : { parent_execution_id }) };
}
