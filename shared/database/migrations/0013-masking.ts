import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * The key with which a session's placeholders are made, and digests of the values masked in it, by which they are masked again
 * wherever they reappear. Sessions from before have no key of their own.
 */
export class Masking0000000000013 implements MigrationInterface {
  readonly name = "Masking0000000000013";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The default follows the column: with it, ALTER TABLE would write every stored session anew. */
const UP = `
ALTER TABLE alert_sessions ADD COLUMN mask_key text;
ALTER TABLE alert_sessions ALTER COLUMN mask_key SET DEFAULT gen_random_uuid()::text;
CREATE TABLE masked_values (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  digest text NOT NULL,
  digits text NOT NULL,
  length integer NOT NULL,
  kind text NOT NULL,
  PRIMARY KEY (session_id, digest)
)`;

const DOWN = `
DROP TABLE masked_values;
ALTER TABLE alert_sessions DROP COLUMN mask_key`;
