import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what webhooks received that starts no session, e.g. that an alert is resolved. Only adds. */
export class AlertNotifications0000000000025 implements MigrationInterface {
  readonly name = "AlertNotifications0000000000025";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `key` is the same for repetitions, of which the first is kept. `session_id`: the session of the same alerts, if there is one. */
const UP = `
CREATE TABLE alert_notifications (
  key text PRIMARY KEY,
  source text NOT NULL,
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  body text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX alert_notifications_received ON alert_notifications (received_at);
CREATE INDEX alert_notifications_session ON alert_notifications (session_id) WHERE session_id IS NOT NULL`;

const DOWN = `DROP TABLE alert_notifications`;
