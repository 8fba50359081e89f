import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * For owners that keep a session's state in memory: `inbox_seq` rises when another writer writes what they must read, and
 * `seq` is the newest event of the session after the commit that wrote a row last. Only adds, and gives updated rows room on their page.
 */
export class OwnerState0000000000006 implements MigrationInterface {
  readonly name = "OwnerState0000000000006";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE session_runtime ADD COLUMN inbox_seq integer NOT NULL DEFAULT 0;
ALTER TABLE agent_executions ADD COLUMN seq integer, SET (fillfactor = 70);
ALTER TABLE messages ADD COLUMN seq integer;
ALTER TABLE timeline_events ADD COLUMN seq integer;
ALTER TABLE llm_interactions ADD COLUMN seq integer;
ALTER TABLE mcp_interactions ADD COLUMN seq integer`;

const DOWN = `
ALTER TABLE mcp_interactions DROP COLUMN seq;
ALTER TABLE llm_interactions DROP COLUMN seq;
ALTER TABLE timeline_events DROP COLUMN seq;
ALTER TABLE messages DROP COLUMN seq;
ALTER TABLE agent_executions DROP COLUMN seq, RESET (fillfactor);
ALTER TABLE session_runtime DROP COLUMN inbox_seq`;
