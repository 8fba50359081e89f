import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Lets ended sessions be purged and deleted sessions be removed without scans. The three dropped foreign keys link rows of
 * one session, which are only ever removed together; with them, each removed row searched a whole table for its links.
 */
export class Purge0000000000004 implements MigrationInterface {
  readonly name = "Purge0000000000004";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE session_runtime ADD COLUMN events_purged_at timestamptz;
CREATE INDEX session_runtime_not_purged ON session_runtime (session_id) WHERE events_purged_at IS NULL;
CREATE INDEX tool_calls_with_result ON tool_calls (completed_at) WHERE result IS NOT NULL;
ALTER TABLE llm_interactions DROP CONSTRAINT llm_interactions_last_message_id_fkey;
ALTER TABLE timeline_events
  DROP CONSTRAINT timeline_events_llm_interaction_id_fkey, DROP CONSTRAINT timeline_events_mcp_interaction_id_fkey`;

const DOWN = `
ALTER TABLE timeline_events
  ADD CONSTRAINT timeline_events_mcp_interaction_id_fkey
    FOREIGN KEY (mcp_interaction_id) REFERENCES mcp_interactions ON DELETE SET NULL,
  ADD CONSTRAINT timeline_events_llm_interaction_id_fkey
    FOREIGN KEY (llm_interaction_id) REFERENCES llm_interactions ON DELETE SET NULL;
ALTER TABLE llm_interactions
  ADD CONSTRAINT llm_interactions_last_message_id_fkey FOREIGN KEY (last_message_id) REFERENCES messages ON DELETE SET NULL;
DROP INDEX tool_calls_with_result;
DROP INDEX session_runtime_not_purged;
ALTER TABLE session_runtime DROP COLUMN events_purged_at`;
