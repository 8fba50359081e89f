import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the executions that an agent has started in its own stage. Only adds, and lets their numbers begin anew below each
 * parent.
 */
export class SubAgents0000000000037 implements MigrationInterface {
  readonly name = "SubAgents0000000000037";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `delivered_at`: when the parent's conversation got the result. `cancel_requested_at`: when the parent, or its end, asked the sub-agent to stop. */
const UP = `
ALTER TYPE timeline_event_type ADD VALUE IF NOT EXISTS 'task_assigned';
ALTER TABLE agent_executions
  ADD COLUMN parent_execution_id uuid REFERENCES agent_executions ON DELETE CASCADE,
  ADD COLUMN task text,
  ADD COLUMN delivered_at timestamptz,
  ADD COLUMN cancel_requested_at timestamptz,
  DROP CONSTRAINT agent_executions_stage_id_agent_index_key;
CREATE UNIQUE INDEX agent_executions_of_stage ON agent_executions (stage_id, agent_index)
  WHERE parent_execution_id IS NULL;
CREATE UNIQUE INDEX agent_executions_of_parent ON agent_executions (parent_execution_id, agent_index)
  WHERE parent_execution_id IS NOT NULL`;

/** A value of an enum cannot be removed; nothing uses it afterwards. The version before does not know what a sub-agent is. */
const DOWN = `
DELETE FROM agent_executions WHERE parent_execution_id IS NOT NULL;
DROP INDEX agent_executions_of_stage, agent_executions_of_parent;
ALTER TABLE agent_executions
  DROP COLUMN parent_execution_id, DROP COLUMN task, DROP COLUMN delivered_at, DROP COLUMN cancel_requested_at,
  ADD UNIQUE (stage_id, agent_index)`;
