import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type {
  LlmInteractionType,
  McpInteractionType,
  MessageRole,
  ParallelType,
  RunStatus,
  SuccessPolicy,
  TerminalStatus,
  TimelineEventType,
  TimelineStatus,
} from "#shared/contracts/statuses.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { Message } from "#shared/database/entities/message.ts";
import type { TokenUsage } from "./token-usage.ts";

/** The rows of one execution name its stage and itself. */
interface OfExecution {
  readonly stage_id: string;
  readonly execution_id: string;
}

export interface NewStage {
  readonly stage_id: string;
  readonly stage_name: string;
  readonly stage_index: number;
  readonly expected_agent_count: number;
  readonly parallel_type: ParallelType | null;
  readonly success_policy: SuccessPolicy | null;
}

export interface NewExecution extends OfExecution {
  readonly agent_name: string;
  readonly agent_index: number;
  readonly iteration_strategy: IterationStrategy;
  readonly iteration_state: IterationState;
  readonly llm_provider: string;
  readonly llm_backend: string;
  readonly model_name: string;
}

/** A provider as an execution's row names it. */
export type ProviderColumns = Pick<NewExecution, "llm_provider" | "llm_backend" | "model_name">;

/** How a stage or an execution ended; the errors are null where it completed. */
interface Ending {
  readonly status: TerminalStatus;
  readonly error_message: string | null;
  readonly error_code: string | null;
}

export interface StageEnd extends Ending {
  readonly stage_id: string;
}

export interface ExecutionChange {
  readonly execution_id: string;
  /** Sets the status `active` and the time at which it started. */
  readonly starts?: true;
  /** Sets the status, its error and the time at which it ended. */
  readonly end?: Ending;
  readonly iteration_state?: IterationState;
  /** The provider in use from now on, and the one before, which is kept if it was the agent's own. */
  readonly provider?: { readonly next: ProviderColumns; readonly former: ProviderColumns };
  /** Added to those that it has used. */
  readonly tokens?: TokenUsage;
}

export interface NewMessage extends OfExecution {
  readonly message_id: string;
  readonly sequence_number: number;
  readonly role: MessageRole;
  readonly content: string;
  readonly tool_calls: Message["tool_calls"];
  readonly tool_call_id: string | null;
  readonly tool_name: string | null;
  /** Base64. */
  readonly provider_state: string | null;
}

export interface NewLlmInteraction extends OfExecution {
  readonly interaction_id: string;
  readonly interaction_type: LlmInteractionType;
  readonly model_name: string;
  readonly last_message_id: string | null;
  readonly llm_request: object;
  readonly llm_response: object;
  readonly thinking_content: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly thinking_tokens: number | null;
  readonly total_tokens: number | null;
  readonly duration_ms: number;
  readonly error_message: string | null;
  readonly error_code: string | null;
}

export interface NewMcpInteraction extends OfExecution {
  readonly interaction_id: string;
  readonly interaction_type: McpInteractionType;
  readonly server_name: string;
  readonly tool_name: string | null;
  readonly tool_arguments: object | null;
  readonly tool_result: object | null;
  readonly available_tools: readonly ToolDescription[] | null;
  readonly duration_ms: number;
  readonly error_message: string | null;
}

export interface NewTimelineRow extends OfExecution {
  readonly event_id: string;
  readonly sequence_number: number;
  readonly event_type: TimelineEventType;
  readonly status: TimelineStatus;
  readonly content: string;
  readonly metadata: object | null;
  readonly llm_interaction_id: string | null;
  readonly mcp_interaction_id: string | null;
}

/** How an open timeline row ends. */
export interface TimelineEnd {
  readonly event_id: string;
  readonly execution_id: string;
  readonly event_type: TimelineEventType;
  readonly status: Exclude<TimelineStatus, "streaming">;
  readonly content: string;
  readonly llm_interaction_id: string | null;
}

/** Links a timeline row to the tool call that it announced. */
export interface TimelineLink {
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

/** The rows that a step inserts and changes, by table. */
export interface StepRows {
  readonly stages?: readonly NewStage[];
  readonly stageEnds?: readonly StageEnd[];
  readonly executions?: readonly NewExecution[];
  readonly executionChanges?: readonly ExecutionChange[];
  readonly messages?: readonly NewMessage[];
  readonly llmInteractions?: readonly NewLlmInteraction[];
  readonly mcpInteractions?: readonly NewMcpInteraction[];
  readonly timeline?: readonly NewTimelineRow[];
  readonly timelineEnds?: readonly TimelineEnd[];
  readonly timelineLinks?: readonly TimelineLink[];
  readonly session?: SessionChange;
}

/** True for a status that a running execution or stage has. */
export function isOpen(status: RunStatus): boolean {
  return status === "pending" || status === "active";
}
