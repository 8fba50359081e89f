import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores where the trace of a session comes from, so that every owner continues it. Only adds: a session without it begins a
 * trace with each owner.
 */
export class TraceContext0000000000028 implements MigrationInterface {
  readonly name = "TraceContext0000000000028";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE alert_sessions ADD COLUMN trace_context jsonb");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE alert_sessions DROP COLUMN trace_context");
  }
}
