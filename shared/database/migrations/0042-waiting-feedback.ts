import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Keeps the feedback that was given while an earlier one was learned from. Only adds: the version before learns from none of it, and
 * this one does once it runs.
 */
export class WaitingFeedback0000000000042 implements MigrationInterface {
  readonly name = "WaitingFeedback0000000000042";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The id is that of the follow-up which will learn from the text: the same text is kept once. */
const UP = `
CREATE TABLE waiting_feedback (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  feedback text NOT NULL,
  asked_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX waiting_feedback_session ON waiting_feedback (session_id, created_at)`;

const DOWN = "DROP TABLE waiting_feedback";
