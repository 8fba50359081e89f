import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores what a session waits for and how long it has waited, which investigations went on without their tools, and
 * when each executor was last alive. Only adds: executors of the version before run on this schema. Like every writer it
 * locks `alert_sessions` before `session_runtime`, because services run meanwhile.
 */
export class Waiting0000000000003 implements MigrationInterface {
  readonly name = "Waiting0000000000003";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE alert_sessions ADD COLUMN degraded boolean NOT NULL DEFAULT false;
ALTER TABLE session_runtime
  ADD COLUMN waiting_for jsonb,
  ADD COLUMN waiting_since timestamptz,
  ADD COLUMN paused_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN interruptions integer NOT NULL DEFAULT 0;
CREATE TABLE executors (
  executor_id uuid PRIMARY KEY,
  pod_id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  stopped_at timestamptz
)`;

const DOWN = `
DROP TABLE executors;
ALTER TABLE alert_sessions DROP COLUMN degraded;
ALTER TABLE session_runtime
  DROP COLUMN waiting_for, DROP COLUMN waiting_since, DROP COLUMN paused_ms, DROP COLUMN interruptions`;
