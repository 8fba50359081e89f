import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores the scores of sessions. Only adds: a version before neither scores a session nor shows a score. */
export class Scores0000000000038 implements MigrationInterface {
  readonly name = "Scores0000000000038";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The last index is for the newest score of a session. Values of enums stay when the rest is undone. */
const UP = `
ALTER TYPE iteration_strategy ADD VALUE IF NOT EXISTS 'scoring';
ALTER TYPE llm_interaction_type ADD VALUE IF NOT EXISTS 'scoring';
CREATE TABLE session_scores (
  score_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  follow_up_id uuid NOT NULL UNIQUE REFERENCES follow_ups ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'in_progress', 'memorizing', 'completed', 'failed', 'cancelled')),
  total_score integer CHECK (total_score BETWEEN 0 AND 100),
  score_analysis text,
  tool_improvement_report text,
  failure_tags text[] NOT NULL DEFAULT '{}',
  prompt_hash text,
  score_triggered_by text NOT NULL,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  completed_at timestamptz,
  CHECK (status <> 'completed' OR total_score IS NOT NULL)
);
CREATE UNIQUE INDEX session_scores_open ON session_scores (session_id)
  WHERE status IN ('pending', 'in_progress', 'memorizing');
CREATE INDEX session_scores_newest ON session_scores (session_id, created_at DESC, score_id)`;

const DOWN = `
DROP TABLE session_scores`;
