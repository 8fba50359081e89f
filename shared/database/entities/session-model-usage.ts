import { EntitySchema } from "typeorm";
import { USD_COLUMN } from "#shared/database/usd-column.ts";

/** What a session has used of one model, failed calls included. */
interface SessionModelUsage {
  session_id: string;
  model_name: string;
  input_tokens: number;
  /** The part of the input that was read from the provider's cache. */
  cached_input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  total_tokens: number;
  estimated_cost_usd: number;
  priced_interaction_count: number;
  /** Calls whose tokens are known, but no price. */
  unpriced_interaction_count: number;
  unpriced_tokens: number;
}

export const SessionModelUsageEntity = new EntitySchema<SessionModelUsage>({
  name: "SessionModelUsage",
  tableName: "session_model_usage",
  columns: {
    session_id: { type: "uuid", primary: true },
    model_name: { type: "text", primary: true },
    input_tokens: { type: "bigint" },
    cached_input_tokens: { type: "bigint" },
    output_tokens: { type: "bigint" },
    thinking_tokens: { type: "bigint" },
    total_tokens: { type: "bigint" },
    estimated_cost_usd: USD_COLUMN,
    priced_interaction_count: { type: "integer" },
    unpriced_interaction_count: { type: "integer" },
    unpriced_tokens: { type: "bigint" },
  },
});
