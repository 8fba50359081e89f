import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the whole text of tool results of which the conversation has only a window. Only adds: the version before runs on
 * this schema and stores none.
 */
export class ToolResults0000000000014 implements MigrationInterface {
  readonly name = "ToolResults0000000000014";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `bytes` and `lines` are those of `content`. */
const UP = `
CREATE TABLE tool_results (
  call_id text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  bytes integer NOT NULL,
  lines integer NOT NULL,
  content text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tool_results_session ON tool_results (session_id);
CREATE INDEX tool_results_created ON tool_results (created_at)`;

const DOWN = `DROP TABLE tool_results`;
