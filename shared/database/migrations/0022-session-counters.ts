import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Keeps what the list of sessions shows beside the tokens. Only adds. Rows of before, and those of a session that an executor of
 * the version before has run, are counted by the api's sweeper once the session has ended.
 */
export class SessionCounters0000000000022 implements MigrationInterface {
  readonly name = "SessionCounters0000000000022";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * The counters are complete where `counted_epoch` equals `lease_epoch`: a claim raises both, one of the version before only the
 * latter. The default follows the column, so that stored rows have -1 without being written.
 */
const UP = `
ALTER TABLE session_runtime
  ADD COLUMN llm_interaction_count integer NOT NULL DEFAULT 0,
  ADD COLUMN mcp_interaction_count integer NOT NULL DEFAULT 0,
  ADD COLUMN provider_fallback_count integer NOT NULL DEFAULT 0,
  ADD COLUMN chat_message_count integer NOT NULL DEFAULT 0,
  ADD COLUMN total_stages integer NOT NULL DEFAULT 0,
  ADD COLUMN completed_stages integer NOT NULL DEFAULT 0,
  ADD COLUMN failed_stages integer NOT NULL DEFAULT 0,
  ADD COLUMN has_parallel_stages boolean NOT NULL DEFAULT false,
  ADD COLUMN has_action_stages boolean NOT NULL DEFAULT false,
  ADD COLUMN has_summary_stage boolean NOT NULL DEFAULT false,
  ADD COLUMN counted_epoch integer NOT NULL DEFAULT -1;
ALTER TABLE session_runtime ALTER COLUMN counted_epoch SET DEFAULT 0`;

const DOWN = `
ALTER TABLE session_runtime
  DROP COLUMN llm_interaction_count, DROP COLUMN mcp_interaction_count, DROP COLUMN provider_fallback_count,
  DROP COLUMN chat_message_count, DROP COLUMN total_stages, DROP COLUMN completed_stages, DROP COLUMN failed_stages,
  DROP COLUMN has_parallel_stages, DROP COLUMN has_action_stages, DROP COLUMN has_summary_stage, DROP COLUMN counted_epoch`;
