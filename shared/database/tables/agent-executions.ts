import { table, ADD, USD, type Row } from "#shared/database/tables/table.ts";
import { IterationState } from "#shared/contracts/iteration-state.ts";
import { RUN_STATUSES } from "#shared/contracts/statuses.ts";
import { ITERATION_STRATEGIES } from "#shared/contracts/resolved-chain.ts";

const PROVIDER = [
  "llm_provider",
  "llm_backend",
  "model_name",
  "original_llm_provider",
  "original_llm_backend",
  "original_model_name",
] as const;

/** One agent's run within a stage. `agent_index` counts from 1; sub-agents are numbered anew below each parent. */
export const AGENT_EXECUTIONS = table({
  name: "agent_executions",
  columns: {
    execution_id: { type: "uuid", primary: true },
    stage_id: { type: "uuid", ddl: "REFERENCES stages ON DELETE CASCADE" },
    /** That of the stage. */
    session_id: { type: "uuid" },
    agent_name: { type: "text", from: "config" },
    agent_index: { type: "integer", ddl: "CHECK (agent_index >= 1)" },
    status: {
      type: "enum",
      enum: RUN_STATUSES,
      enumName: "run_status",
      default: "'pending'",
      set: "executor",
    },
    started_at: { type: "timestamptz", nullable: true, set: "executor" },
    completed_at: { type: "timestamptz", nullable: true, set: "executor" },
    duration_ms: { type: "integer", nullable: true, set: "executor" },
    error_message: { type: "text", nullable: true, from: "other", set: "executor" },
    error_code: { type: "text", nullable: true, from: "ours", set: "executor" },
    iteration_strategy: { type: "enum", enum: ITERATION_STRATEGIES, enumName: "iteration_strategy" },
    iteration_state: { type: "jsonb", json: IterationState, from: "copies", set: "executor" },
    /** The provider in use. */
    llm_provider: { type: "text", from: "config", set: "executor" },
    input_tokens: { type: "bigint", default: "0", set: "executor" },
    output_tokens: { type: "bigint", default: "0", set: "executor" },
    thinking_tokens: { type: "bigint", default: "0", set: "executor" },
    total_tokens: { type: "bigint", default: "0", set: "executor" },
    /** The session's newest event after the commit that inserted the row. */
    seq: { type: "integer", nullable: true },
    /** The same of its start and of its end. */
    started_seq: { type: "integer", nullable: true, hidden: true, set: "executor" },
    ended_seq: { type: "integer", nullable: true, hidden: true, set: "executor" },
    llm_backend: { type: "text", nullable: true, from: "config", set: "executor" },
    model_name: { type: "text", nullable: true, from: "config", set: "executor" },
    /** The provider that the agent began with; null while that is the one in use. */
    original_llm_provider: { type: "text", nullable: true, from: "copies", set: "executor" },
    original_llm_backend: { type: "text", nullable: true, from: "copies", set: "executor" },
    original_model_name: { type: "text", nullable: true, from: "copies", set: "executor" },
    /** The part of the input that was read from the provider's cache. */
    cached_input_tokens: { type: "bigint", default: "0", set: "executor" },
    estimated_cost_usd: { ...USD, default: "0", set: "executor" },
    priced_interaction_count: { type: "integer", default: "0", set: "executor" },
    /** Calls whose tokens are known, but no price. */
    unpriced_interaction_count: { type: "integer", default: "0", set: "executor" },
    unpriced_tokens: { type: "bigint", default: "0", set: "executor" },
    /** The execution that started this one; null for an agent of the configuration and for a synthesis. */
    parent_execution_id: {
      type: "uuid",
      nullable: true,
      ddl: "REFERENCES agent_executions ON DELETE CASCADE",
    },
    /** What a sub-agent was asked to do; null for others. */
    task: { type: "text", nullable: true, from: "model" },
    /** When the parent got the result of a sub-agent. */
    delivered_at: { type: "timestamptz", nullable: true, set: "executor" },
    /** When a sub-agent was asked to stop. */
    cancel_requested_at: { type: "timestamptz", nullable: true, set: "executor" },
  },
  indexes: [
    "agent_executions_session (session_id)",
    "UNIQUE agent_executions_of_stage (stage_id, agent_index) WHERE parent_execution_id IS NULL",
    "UNIQUE agent_executions_of_parent (parent_execution_id, agent_index) WHERE parent_execution_id IS NOT NULL",
  ],
  storage: "fillfactor = 70",
  grants: {
    api: ADD,
    executor: ADD,
    "tool-runner": {
      select: [
        "execution_id",
        "session_id",
        "stage_id",
        "parent_execution_id",
        "agent_name",
        "agent_index",
        "iteration_state",
      ],
    },
    notifier: { select: ["execution_id", "stage_id", "session_id", "parent_execution_id", "agent_index"] },
  },
  purge: { kind: "session" },
  past: {
    since: "seq",
    changing: [
      // Each call counts an iteration, and most of them change nothing else.
      { columns: ["iteration_state"], by: ["iteration_state - 'iteration'"] },
      { columns: PROVIDER, by: ["llm_provider", "model_name", "original_llm_provider"] },
      ["delivered_at", "cancel_requested_at"],
    ],
  },
});

export type AgentExecution = Row<typeof AGENT_EXECUTIONS>;
