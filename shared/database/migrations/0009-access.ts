import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Who submitted a session and which teams may see it, the API keys, the tickets of WebSocket clients that cannot send
 * headers, and the audit log. A session of an older version has no owner: operators see it.
 */
export class Access0000000000009 implements MigrationInterface {
  readonly name = "Access0000000000009";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE alert_sessions ADD COLUMN owner_subject text, ADD COLUMN teams text[] NOT NULL DEFAULT '{}';

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  secret_hash bytea NOT NULL,
  subject text NOT NULL,
  roles text[] NOT NULL,
  teams text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);

CREATE TABLE ws_tickets (
  ticket_hash bytea PRIMARY KEY,
  identity jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ws_tickets_expiry ON ws_tickets (expires_at);

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  service text NOT NULL,
  subject text NOT NULL,
  via text NOT NULL,
  peer text,
  action text NOT NULL,
  session_id uuid,
  result text NOT NULL,
  detail jsonb
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_session ON audit_log (session_id) WHERE session_id IS NOT NULL`;

const DOWN = `
DROP TABLE audit_log;
DROP TABLE ws_tickets;
DROP TABLE api_keys;
ALTER TABLE alert_sessions DROP COLUMN teams, DROP COLUMN owner_subject`;
