import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * What the list of sessions is sorted by and searched in. The api's sweeper fills the tables of the search; a trigger tells it of
 * each new session, whichever version stores it. The full-text indexes of `alert_sessions` are replaced by these tables: they
 * cost time whenever a session ends, and nothing reads them.
 */
export class SessionSearch0000000000023 implements MigrationInterface {
  readonly name = "SessionSearch0000000000023";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SORTING);
    await runner.query(SEARCH);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The expressions are those of services/api/sessions/session-order.ts. */
const SORTING = `
DROP INDEX alert_sessions_alert_text, alert_sessions_analysis_text, alert_sessions_alert_type, alert_sessions_chain_id;
CREATE INDEX alert_sessions_created ON alert_sessions (created_at, session_id) INCLUDE (alert_type, chain_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_alert_type ON alert_sessions (alert_type, created_at, session_id);
CREATE INDEX alert_sessions_chain_id ON alert_sessions (chain_id, created_at, session_id);
CREATE INDEX alert_sessions_by_alert_type ON alert_sessions (coalesce(alert_type, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_author ON alert_sessions (coalesce(author, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_duration ON alert_sessions
  (coalesce(extract(epoch FROM completed_at - started_at)::float8, -1), created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_known_duration ON alert_sessions
  (coalesce(extract(epoch FROM completed_at - started_at)::float8, 'Infinity'), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_owner ON alert_sessions (owner_subject, created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_teams ON alert_sessions USING gin (teams) WITH (fastupdate = off)
  WHERE deleted_at IS NULL AND teams <> '{}'`;

/**
 * `search_progress`: a row for each session; `indexed_seq` is the session's newest event when it was indexed last. The texts
 * are in lower case and without what follows their first 100,000 characters.
 */
const SEARCH = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE search_progress (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  indexed_seq integer,
  is_complete boolean NOT NULL DEFAULT false
);
CREATE INDEX search_progress_open ON search_progress (created_at) WHERE NOT is_complete;
CREATE TABLE session_texts (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('alert', 'analysis')),
  content text NOT NULL,
  PRIMARY KEY (session_id, kind)
);
CREATE INDEX session_texts_content ON session_texts USING gin (content gin_trgm_ops) WITH (fastupdate = off);
CREATE TABLE timeline_words (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  indexed_seq integer NOT NULL,
  part integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (session_id, indexed_seq, part)
);
CREATE INDEX timeline_words_words ON timeline_words USING gin (words) WITH (fastupdate = off);

CREATE FUNCTION tarsy_await_indexing() RETURNS trigger LANGUAGE plpgsql AS $await_indexing$
BEGIN
  INSERT INTO search_progress (session_id, created_at) VALUES (NEW.session_id, NEW.created_at);
  RETURN NULL;
END
$await_indexing$;
CREATE TRIGGER alert_sessions_await_indexing AFTER INSERT ON alert_sessions FOR EACH ROW
  EXECUTE FUNCTION tarsy_await_indexing();
INSERT INTO search_progress (session_id, created_at) SELECT session_id, created_at FROM alert_sessions`;

/** The extension stays: someone else may have created it. */
const DOWN = `
DROP TRIGGER alert_sessions_await_indexing ON alert_sessions;
DROP FUNCTION tarsy_await_indexing();
DROP TABLE timeline_words, session_texts, search_progress;
DROP INDEX alert_sessions_created, alert_sessions_alert_type, alert_sessions_chain_id, alert_sessions_by_alert_type,
  alert_sessions_by_author, alert_sessions_by_duration, alert_sessions_by_known_duration, alert_sessions_owner,
  alert_sessions_teams;
CREATE INDEX alert_sessions_alert_type ON alert_sessions (alert_type);
CREATE INDEX alert_sessions_chain_id ON alert_sessions (chain_id);
CREATE INDEX alert_sessions_alert_text ON alert_sessions
  USING gin (to_tsvector('english', left(alert_data, 100000))) WHERE completed_at IS NOT NULL;
CREATE INDEX alert_sessions_analysis_text ON alert_sessions
  USING gin (to_tsvector('english', left(final_analysis, 100000))) WHERE final_analysis IS NOT NULL`;
