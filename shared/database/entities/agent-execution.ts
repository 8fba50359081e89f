import { EntitySchema } from "typeorm";
import { USD_COLUMN } from "#shared/database/usd-column.ts";
import { ITERATION_STRATEGIES, type IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import { RUN_STATUSES, type RunStatus } from "#shared/contracts/statuses.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";

/** One agent's run within a stage. `agent_index` counts from 1, that of a sub-agent below its parent. */
export interface AgentExecution {
  execution_id: string;
  stage_id: string;
  session_id: string;
  /** The execution that started this one; null for an agent of the configuration and for a synthesis. */
  parent_execution_id: string | null;
  /** What a sub-agent was asked to do; null for others. */
  task: string | null;
  /** When the parent was told the result of a sub-agent. */
  delivered_at: Date | null;
  /** When a sub-agent was asked to stop. */
  cancel_requested_at: Date | null;
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
  /** The provider in use. */
  llm_provider: string;
  llm_backend: string | null;
  model_name: string | null;
  /** The provider that the agent began with; null while that is the one in use. */
  original_llm_provider: string | null;
  original_llm_backend: string | null;
  original_model_name: string | null;
  input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  total_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  cached_input_tokens: number;
  estimated_cost_usd: number;
  priced_interaction_count: number;
  /** Calls whose tokens are known, but no price. */
  unpriced_interaction_count: number;
  unpriced_tokens: number;
  /** The session's newest event after the commit that wrote the row last. */
  seq: number | null;
}

export const AgentExecutionEntity = new EntitySchema<AgentExecution>({
  name: "AgentExecution",
  tableName: "agent_executions",
  columns: {
    execution_id: { type: "uuid", primary: true },
    stage_id: { type: "uuid" },
    session_id: { type: "uuid" },
    parent_execution_id: { type: "uuid", nullable: true },
    task: { type: "text", nullable: true },
    delivered_at: { type: "timestamptz", nullable: true },
    cancel_requested_at: { type: "timestamptz", nullable: true },
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
    llm_backend: { type: "text", nullable: true },
    model_name: { type: "text", nullable: true },
    original_llm_provider: { type: "text", nullable: true },
    original_llm_backend: { type: "text", nullable: true },
    original_model_name: { type: "text", nullable: true },
    input_tokens: { type: "bigint", default: 0 },
    output_tokens: { type: "bigint", default: 0 },
    thinking_tokens: { type: "bigint", default: 0 },
    total_tokens: { type: "bigint", default: 0 },
    cached_input_tokens: { type: "bigint", default: 0 },
    estimated_cost_usd: { ...USD_COLUMN, default: 0 },
    priced_interaction_count: { type: "integer", default: 0 },
    unpriced_interaction_count: { type: "integer", default: 0 },
    unpriced_tokens: { type: "bigint", default: 0 },
    seq: { type: "integer", nullable: true },
  },
});
