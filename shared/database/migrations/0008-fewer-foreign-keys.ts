import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Rows of an execution refer to it alone: through it they belong to its stage and session, and are deleted with them. Each
 * foreign key is a query for each inserted row. The four indexes served them.
 */
export class FewerForeignKeys0000000000008 implements MigrationInterface {
  readonly name = "FewerForeignKeys0000000000008";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const TABLES = ["messages", "llm_interactions", "mcp_interactions", "timeline_events"] as const;

const UP = `
${TABLES.map((table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_session_id_fkey, DROP CONSTRAINT ${table}_stage_id_fkey;`).join("\n")}
DROP INDEX messages_stage, llm_interactions_stage, mcp_interactions_stage, timeline_events_stage`;

const DOWN = `
CREATE INDEX timeline_events_stage ON timeline_events (stage_id, sequence_number);
CREATE INDEX mcp_interactions_stage ON mcp_interactions (stage_id, created_at);
CREATE INDEX llm_interactions_stage ON llm_interactions (stage_id, created_at);
CREATE INDEX messages_stage ON messages (stage_id, execution_id);
${TABLES.map(
  (table) => `ALTER TABLE ${table}
  ADD CONSTRAINT ${table}_session_id_fkey FOREIGN KEY (session_id) REFERENCES alert_sessions ON DELETE CASCADE,
  ADD CONSTRAINT ${table}_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES stages ON DELETE CASCADE;`,
).join("\n")}`;
