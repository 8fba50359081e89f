import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores why a tool call failed, and until when the last heartbeat of its runner is valid. */
export class ToolCallOutcomes0000000000002 implements MigrationInterface {
  readonly name = "ToolCallOutcomes0000000000002";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE tool_calls
  ADD COLUMN failure text CHECK (failure IN ('exception','timeout','cancelled','interrupted','outcome_unknown')),
  ADD COLUMN alive_until timestamptz,
  ADD CONSTRAINT failure_on_failed CHECK ((state = 'failed') = (failure IS NOT NULL)),
  ADD CONSTRAINT alive_on_running CHECK ((state = 'running') = (alive_until IS NOT NULL))`;

const DOWN = `ALTER TABLE tool_calls DROP COLUMN failure, DROP COLUMN alive_until`;
