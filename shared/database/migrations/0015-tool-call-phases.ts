import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores how far a running tool call has come, what it may do, and which runner makes it. Only adds: rows of the version
 * before have none of it, and are treated as calls that may have been sent.
 */
export class ToolCallPhases0000000000015 implements MigrationInterface {
  readonly name = "ToolCallPhases0000000000015";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `phase`: `claimed` until a call that must not be repeated is about to be sent, then `sending`. */
const UP = `
ALTER TABLE tool_calls
  ADD COLUMN effect text,
  ADD COLUMN phase text,
  ADD COLUMN runner uuid`;

const DOWN = `ALTER TABLE tool_calls DROP COLUMN effect, DROP COLUMN phase, DROP COLUMN runner`;
