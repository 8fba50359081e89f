import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores which alerts belong to one incident, each of them, and what of them agents have read. Only adds: an api of the version
 * before starts a session for each alert, and an executor of the version before tells its agents nothing of alerts that join.
 */
export class AlertGroups0000000000049 implements MigrationInterface {
  readonly name = "AlertGroups0000000000049";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `alert_groups` has one row for each key, which is the lock of every decision about the group; `session_id` is null only within
 * the transaction that inserts the row. `count` are the alerts of this session; `bytes` those of the texts that are stored of
 * them. `group_alerts.data` is null for the alert that opened the session, which has its text, and beyond the bounds. `ordinal`
 * counts the alerts of a session from 1 without a gap. `source_key` is a digest of what tells the alerts of a group apart.
 * `evidence_deliveries`: an agent has read the alerts up to `through`; `sequence_number` is the message's.
 */
const UP = `
ALTER TABLE alert_sessions ADD COLUMN reopened_from uuid;
CREATE TABLE alert_group_secrets (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  secret text NOT NULL
);
INSERT INTO alert_group_secrets (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
CREATE TABLE alert_groups (
  group_key text PRIMARY KEY,
  session_id uuid UNIQUE REFERENCES alert_sessions ON DELETE CASCADE,
  chain_id text NOT NULL,
  window_ms bigint NOT NULL,
  count integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  reopened integer NOT NULL DEFAULT 0,
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  announced_at timestamptz,
  resolved_at timestamptz,
  is_cancelled boolean NOT NULL DEFAULT false
);
CREATE TABLE group_alerts (
  alert_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  group_key text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('opened', 'reopened', 'linked', 'counted')),
  is_resolved boolean NOT NULL,
  effect text CHECK (effect IN ('conclude', 'cancel')),
  author text NOT NULL,
  source_key text,
  data text,
  bytes integer NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (session_id, ordinal)
);
CREATE TABLE evidence_deliveries (
  execution_id uuid NOT NULL,
  through integer NOT NULL,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  alerts integer NOT NULL,
  characters integer NOT NULL,
  sequence_number integer NOT NULL,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, through)
);
CREATE INDEX evidence_deliveries_session ON evidence_deliveries (session_id);
ALTER TABLE steering_messages ADD COLUMN is_from_alert boolean NOT NULL DEFAULT false`;

const DOWN = `
ALTER TABLE steering_messages DROP COLUMN is_from_alert;
ALTER TABLE alert_sessions DROP COLUMN reopened_from;
DROP TABLE evidence_deliveries;
DROP TABLE group_alerts;
DROP TABLE alert_groups;
DROP TABLE alert_group_secrets`;
