import { table, ADD, OF_EXECUTION, USD, WITH_EXECUTION, type Row } from "#shared/database/tables/table.ts";
import { LLM_INTERACTION_TYPES } from "#shared/contracts/statuses.ts";

/** One LLM call, failed ones included. Its input is the execution's messages up to `last_message_id`. */
export const LLM_INTERACTIONS = table({
  name: "llm_interactions",
  columns: {
    interaction_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: OF_EXECUTION,
    created_at: { type: "timestamptz", default: "now()" },
    interaction_type: { type: "enum", enum: LLM_INTERACTION_TYPES, enumName: "llm_interaction_type" },
    model_name: { type: "text", from: "config" },
    /** The newest message of the input. */
    last_message_id: { type: "uuid", nullable: true },
    llm_request: { type: "jsonb", from: "copies" },
    llm_response: { type: "jsonb", from: "model" },
    thinking_content: { type: "text", nullable: true, from: "model" },
    input_tokens: { type: "integer", nullable: true },
    output_tokens: { type: "integer", nullable: true },
    thinking_tokens: { type: "integer", nullable: true },
    total_tokens: { type: "integer", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    /** Null after success. */
    error_message: { type: "text", nullable: true, from: "other" },
    error_code: { type: "text", nullable: true, from: "ours" },
    /** The session's newest event after the commit that wrote the row last. */
    seq: { type: "integer", nullable: true },
    /** The part of the input that was read from the provider's cache, and the part that was written to it. */
    cached_input_tokens: { type: "integer", nullable: true },
    cache_write_tokens: { type: "integer", nullable: true },
    /** Null where its price or its tokens are not known. It never changes. */
    estimated_cost_usd: { ...USD, nullable: true },
    /** Where the price comes from: `promotion:<id>`, `override`, or `snapshot:<date>`. */
    price_source: { type: "text", nullable: true, from: "ours" },
  },
  indexes: ["llm_interactions_session (session_id)", "llm_interactions_execution (execution_id, created_at)"],
  grants: { api: ADD, executor: ADD },
  purge: WITH_EXECUTION,
  past: { since: "seq" },
});

export type LlmInteraction = Row<typeof LLM_INTERACTIONS>;
