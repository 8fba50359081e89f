import { EntitySchema } from "typeorm";
import { USD_COLUMN } from "#shared/database/usd-column.ts";
import { LLM_INTERACTION_TYPES, type LlmInteractionType } from "#shared/contracts/statuses.ts";

/** One LLM call, failed ones included. Its input is the execution's messages up to `last_message_id`. */
export interface LlmInteraction {
  interaction_id: string;
  session_id: string;
  stage_id: string;
  execution_id: string;
  created_at: Date;
  interaction_type: LlmInteractionType;
  model_name: string;
  /** The newest message of the input. */
  last_message_id: string | null;
  llm_request: object;
  llm_response: object;
  thinking_content: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  thinking_tokens: number | null;
  total_tokens: number | null;
  /** The part of the input that was read from the provider's cache, and the part that was written to it. */
  cached_input_tokens: number | null;
  cache_write_tokens: number | null;
  /** Null where its price or its tokens are not known. It never changes. */
  estimated_cost_usd: number | null;
  /** Where the price comes from: `promotion:<id>`, `override`, or `snapshot:<date>`. */
  price_source: string | null;
  duration_ms: number | null;
  /** Null after success. */
  error_message: string | null;
  error_code: string | null;
  /** The session's newest event after the commit that wrote the row last. */
  seq: number | null;
}

export const LlmInteractionEntity = new EntitySchema<LlmInteraction>({
  name: "LlmInteraction",
  tableName: "llm_interactions",
  columns: {
    interaction_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    stage_id: { type: "uuid" },
    execution_id: { type: "uuid" },
    created_at: { type: "timestamptz", default: () => "now()" },
    interaction_type: { type: "enum", enum: LLM_INTERACTION_TYPES, enumName: "llm_interaction_type" },
    model_name: { type: "text" },
    last_message_id: { type: "uuid", nullable: true },
    llm_request: { type: "jsonb" },
    llm_response: { type: "jsonb" },
    thinking_content: { type: "text", nullable: true },
    input_tokens: { type: "integer", nullable: true },
    output_tokens: { type: "integer", nullable: true },
    thinking_tokens: { type: "integer", nullable: true },
    total_tokens: { type: "integer", nullable: true },
    cached_input_tokens: { type: "integer", nullable: true },
    cache_write_tokens: { type: "integer", nullable: true },
    estimated_cost_usd: { ...USD_COLUMN, nullable: true },
    price_source: { type: "text", nullable: true },
    duration_ms: { type: "integer", nullable: true },
    error_message: { type: "text", nullable: true },
    error_code: { type: "text", nullable: true },
    seq: { type: "integer", nullable: true },
  },
});
