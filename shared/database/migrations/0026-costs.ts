import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores what LLM calls cost, and what each session has used of each model. Only adds. What an executor of the version before
 * records has no price; its sessions are counted by the api's sweeper (migration 22).
 */
export class Costs0000000000026 implements MigrationInterface {
  readonly name = "Costs0000000000026";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const SUMS = `
  ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN estimated_cost_usd numeric(24, 12) NOT NULL DEFAULT 0,
  ADD COLUMN priced_interaction_count integer NOT NULL DEFAULT 0,
  ADD COLUMN unpriced_interaction_count integer NOT NULL DEFAULT 0,
  ADD COLUMN unpriced_tokens bigint NOT NULL DEFAULT 0`;

/** Of a call, the cost is null where nothing is known about its price or its tokens. */
const UP = `
ALTER TABLE session_runtime ${SUMS};
ALTER TABLE agent_executions ${SUMS};
ALTER TABLE llm_interactions
  ADD COLUMN cached_input_tokens integer,
  ADD COLUMN cache_write_tokens integer,
  ADD COLUMN estimated_cost_usd numeric(24, 12),
  ADD COLUMN price_source text;
CREATE TABLE session_model_usage (
  session_id uuid NOT NULL REFERENCES session_runtime ON DELETE CASCADE,
  model_name text NOT NULL,
  interaction_count integer NOT NULL,
  failed_interaction_count integer NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  thinking_tokens bigint NOT NULL,
  total_tokens bigint NOT NULL,
  estimated_cost_usd numeric(24, 12) NOT NULL,
  priced_interaction_count integer NOT NULL,
  unpriced_interaction_count integer NOT NULL,
  unpriced_tokens bigint NOT NULL,
  duration_ms bigint NOT NULL,
  PRIMARY KEY (session_id, model_name)
) WITH (fillfactor = 80)`;

const DROP_SUMS = `
  DROP COLUMN cached_input_tokens, DROP COLUMN estimated_cost_usd, DROP COLUMN priced_interaction_count,
  DROP COLUMN unpriced_interaction_count, DROP COLUMN unpriced_tokens`;

const DOWN = `
DROP TABLE session_model_usage;
ALTER TABLE llm_interactions
  DROP COLUMN cached_input_tokens, DROP COLUMN cache_write_tokens, DROP COLUMN estimated_cost_usd, DROP COLUMN price_source;
ALTER TABLE agent_executions ${DROP_SUMS};
ALTER TABLE session_runtime ${DROP_SUMS}`;
