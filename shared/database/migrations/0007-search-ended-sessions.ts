import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Leaves unfinished sessions out of the full-text indexes and of the index by time of completion. Each change of a
 * session's status writes a new version of its row into every index; the text of an alert was analysed four times in the
 * life of a session, which took 40 % of the database's CPU time when an alert was accepted. A search reads the few
 * unfinished sessions by `alert_sessions_unfinished`.
 */
export class SearchEndedSessions0000000000007 implements MigrationInterface {
  readonly name = "SearchEndedSessions0000000000007";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
DROP INDEX alert_sessions_alert_text, alert_sessions_analysis_text, alert_sessions_completed;
CREATE INDEX alert_sessions_alert_text ON alert_sessions
  USING gin (to_tsvector('english', left(alert_data, 100000))) WHERE completed_at IS NOT NULL;
CREATE INDEX alert_sessions_analysis_text ON alert_sessions
  USING gin (to_tsvector('english', left(final_analysis, 100000))) WHERE final_analysis IS NOT NULL;
CREATE INDEX alert_sessions_completed ON alert_sessions (completed_at)
  WHERE completed_at IS NOT NULL AND deleted_at IS NULL`;

const DOWN = `
DROP INDEX alert_sessions_alert_text, alert_sessions_analysis_text, alert_sessions_completed;
CREATE INDEX alert_sessions_completed ON alert_sessions (completed_at) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_alert_text ON alert_sessions
  USING gin (to_tsvector('english', left(alert_data, 100000)));
CREATE INDEX alert_sessions_analysis_text ON alert_sessions
  USING gin (to_tsvector('english', left(final_analysis, 100000)))`;
