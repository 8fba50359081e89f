import { ITERATION_STRATEGIES, type IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import { RUN_STATUSES, type RunStatus } from "#shared/contracts/statuses.ts";
import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { defineEntity } from "#shared/database/entities/define-entity.ts";

/**
 * What a controller needs, besides the conversation, to choose its next step. It is stored and not kept in memory, so
 * that another executor chooses the same step.
 */
export interface IterationState {
  /** LLM calls whose outcome is committed, failed ones included. */
  iteration: number;
  /** `concluding` once the limit is reached and the model was asked to answer from what it has. */
  phase: "iterating" | "concluding";
  /** True when the last LLM call, or a tool call since, was not executed. A tool result with an error is no failure. */
  last_failed: boolean;
  /** Consecutive failed LLM calls; the backoff before the next one grows with them. */
  consecutive_failures: number;
  last_error: string | null;
  last_error_code: string | null;
  /** False when the provider reported that a retry cannot help. */
  last_error_retryable: boolean;
  consecutive_timeouts: number;
  /** Time left for the iteration's tool calls, in milliseconds. */
  tools_budget_ms: number;
  /** What the step that is due has been through; absent if nothing has stopped it. */
  unfinished_step?: UnfinishedStep;
}

/** The history of a step that was begun and has no outcome yet. It is out of date once another step is due. */
export interface UnfinishedStep {
  /** Identifies the step within its execution. */
  step: string;
  /** How often it ended in an error that is no outcome. */
  failed_tries: number;
  /** LLM calls that a gateway accepted and whose connection then broke: each may have been paid for. */
  lost_calls: number;
  /** What it waits for; null once it is tried again. */
  waiting: WaitingFor | null;
}

export const INITIAL_ITERATION_STATE: IterationState = {
  iteration: 0,
  phase: "iterating",
  last_failed: false,
  consecutive_failures: 0,
  last_error: null,
  last_error_code: null,
  last_error_retryable: true,
  consecutive_timeouts: 0,
  tools_budget_ms: 0,
};

/** One agent's run within a stage. `agent_index` counts from 1. */
export interface AgentExecution {
  execution_id: string;
  stage_id: string;
  session_id: string;
  agent_name: string;
  agent_index: number;
  status: RunStatus;
  started_at: Date | null;
  completed_at: Date | null;
  duration_ms: number | null;
  error_message: string | null;
  error_code: string | null;
  iteration_strategy: IterationStrategy;
  iteration_state: IterationState;
  llm_provider: string;
  input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  total_tokens: number;
}

export const AgentExecutionEntity = defineEntity<AgentExecution>({
  name: "AgentExecution",
  tableName: "agent_executions",
  columns: {
    execution_id: { type: "uuid", primary: true },
    stage_id: { type: "uuid" },
    session_id: { type: "uuid" },
    agent_name: { type: "text" },
    agent_index: { type: "integer" },
    status: { type: "enum", enum: RUN_STATUSES, enumName: "run_status", default: "pending" },
    started_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    error_message: { type: "text", nullable: true },
    error_code: { type: "text", nullable: true },
    iteration_strategy: { type: "enum", enum: ITERATION_STRATEGIES, enumName: "iteration_strategy" },
    iteration_state: { type: "jsonb" },
    llm_provider: { type: "text" },
    input_tokens: { type: "bigint", default: 0 },
    output_tokens: { type: "bigint", default: 0 },
    thinking_tokens: { type: "bigint", default: 0 },
    total_tokens: { type: "bigint", default: 0 },
  },
});
