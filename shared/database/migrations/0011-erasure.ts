import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Marks sessions whose rows are to be removed soon, and gives every session a random text that only its own prompts
 * contain. Rows from before have none: they keep the prompts that they began with.
 */
export class Erasure0000000000011 implements MigrationInterface {
  readonly name = "Erasure0000000000011";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The default follows the column: with it, ALTER TABLE would write every stored session anew. */
const UP = `
ALTER TABLE alert_sessions ADD COLUMN prompt_nonce text;
ALTER TABLE alert_sessions ALTER COLUMN prompt_nonce SET DEFAULT gen_random_uuid()::text;
ALTER TABLE session_runtime ADD COLUMN erase_requested_at timestamptz;
CREATE INDEX session_runtime_to_erase ON session_runtime (erase_requested_at) WHERE erase_requested_at IS NOT NULL`;

const DOWN = `
DROP INDEX session_runtime_to_erase;
ALTER TABLE session_runtime DROP COLUMN erase_requested_at;
ALTER TABLE alert_sessions DROP COLUMN prompt_nonce`;
