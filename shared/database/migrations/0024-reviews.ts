import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores how far people have reviewed each investigation, and who did what. Only adds; an executor of the version before
 * ends sessions on it, and the trigger gives those their review status. Sessions that ended before count as reviewed: the
 * default of the new column says so without a rewrite, and only unfinished sessions are updated.
 */
export class Reviews0000000000024 implements MigrationInterface {
  readonly name = "Reviews0000000000024";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * The trigger is the one place that decides the status with which a review begins (in TypeScript: `reviewAtEnd`), whichever process
 * ends the session. The constraints are NOT VALID because checking the existing rows would read the whole table.
 */
const UP = `
ALTER TABLE alert_sessions
  ADD COLUMN review_status text DEFAULT 'reviewed',
  ADD COLUMN assignee text,
  ADD COLUMN assigned_at timestamptz,
  ADD COLUMN quality_rating text,
  ADD COLUMN action_taken text,
  ADD COLUMN investigation_feedback text,
  ADD COLUMN feedback_edited boolean NOT NULL DEFAULT false,
  ADD COLUMN feedback_edited_by text,
  ADD COLUMN feedback_edited_at timestamptz;
ALTER TABLE alert_sessions ALTER COLUMN review_status DROP DEFAULT;
UPDATE alert_sessions SET review_status = NULL WHERE status IN ('pending', 'in_progress', 'cancelling');
ALTER TABLE alert_sessions
  ADD CONSTRAINT review_status_known CHECK (review_status IN ('needs_review', 'in_progress', 'reviewed')) NOT VALID,
  ADD CONSTRAINT quality_rating_known CHECK (quality_rating IN ('accurate', 'partially_accurate', 'inaccurate')) NOT VALID,
  ADD CONSTRAINT review_follows_end CHECK ((review_status IS NULL) = (completed_at IS NULL)) NOT VALID;

CREATE FUNCTION tarsy_begin_review() RETURNS trigger LANGUAGE plpgsql AS $begin_review$
BEGIN
  NEW.review_status := CASE
    WHEN NEW.status IN ('completed', 'failed', 'timed_out') THEN 'needs_review'
    WHEN NEW.status = 'cancelled' THEN 'reviewed'
  END;
  RETURN NEW;
END
$begin_review$;
CREATE TRIGGER alert_sessions_begin_review BEFORE INSERT OR UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN ((NEW.review_status IS NULL) = (NEW.status IN ('completed', 'failed', 'cancelled', 'timed_out')))
  EXECUTE FUNCTION tarsy_begin_review();

CREATE INDEX alert_sessions_review ON alert_sessions (review_status, created_at, session_id)
  WHERE review_status IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_review_assignee ON alert_sessions (assignee, review_status, created_at, session_id)
  WHERE assignee IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_by_rating ON alert_sessions (coalesce(quality_rating, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_known_rating ON alert_sessions (coalesce(quality_rating, '~'), created_at, session_id)
  WHERE deleted_at IS NULL;

CREATE TABLE session_review_activities (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  actor text NOT NULL,
  action text NOT NULL,
  from_status text,
  to_status text NOT NULL,
  quality_rating text,
  note text,
  investigation_feedback text,
  created_at timestamptz NOT NULL
);
CREATE INDEX session_review_activities_session ON session_review_activities (session_id, id)`;

const DOWN = `
DROP TABLE session_review_activities;
DROP TRIGGER alert_sessions_begin_review ON alert_sessions;
DROP FUNCTION tarsy_begin_review();
ALTER TABLE alert_sessions
  DROP COLUMN review_status, DROP COLUMN assignee, DROP COLUMN assigned_at, DROP COLUMN quality_rating,
  DROP COLUMN action_taken, DROP COLUMN investigation_feedback, DROP COLUMN feedback_edited,
  DROP COLUMN feedback_edited_by, DROP COLUMN feedback_edited_at`;
