import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the work on sessions that have ended, such as the answer to a question about one. Only adds: an executor of the
 * version before leaves these sessions alone.
 */
export class FollowUps0000000000030 implements MigrationInterface {
  readonly name = "FollowUps0000000000030";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * The partial unique index is what lets one piece of work of a kind run at a time. `cancelled_follow_ups` repeats which of
 * the open ones are cancelled: the fence of a step must find it in the row that it locks.
 */
const UP = `
CREATE TABLE follow_ups (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('chat', 'score', 'feedback')),
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  status run_status NOT NULL DEFAULT 'pending',
  resolved_config jsonb NOT NULL,
  config_hash text NOT NULL,
  asked_by text NOT NULL,
  cancel_requested_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  deadline_at timestamptz,
  completed_at timestamptz,
  error_message text,
  error_code text
);
CREATE UNIQUE INDEX follow_ups_open ON follow_ups (session_id, kind) WHERE status IN ('pending', 'active');
CREATE INDEX follow_ups_waiting ON follow_ups (created_at) WHERE status IN ('pending', 'active');
CREATE INDEX follow_ups_session ON follow_ups (session_id);
ALTER TABLE session_runtime ADD COLUMN cancelled_follow_ups uuid[] NOT NULL DEFAULT '{}'`;

const DOWN = `
ALTER TABLE session_runtime DROP COLUMN cancelled_follow_ups;
DROP TABLE follow_ups`;
