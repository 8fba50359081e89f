import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores what people and other systems are to be told, in the transaction that decides it. Only adds: triggers write the rows, so
 * that those of sessions which an executor or an api of the version before ends are written, too.
 */
export class Outbox0000000000047 implements MigrationInterface {
  readonly name = "Outbox0000000000047";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `alert_sessions.notify` has the kinds by destination (`NotifyPlan`); of a session without it no trigger fires. `dedup_key` has no
 * full stop, because it is the id of a signed webhook. `is_unsure`: an earlier attempt may have been received although no
 * answer to it was. `notification_destinations` has a row for each destination that has been tried.
 */
const UP = `
ALTER TABLE alert_sessions ADD COLUMN notify jsonb;

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL,
  destination text NOT NULL,
  dedup_key text NOT NULL UNIQUE,
  payload jsonb NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'dropped', 'dead')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  not_before timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  lease_token uuid,
  lease_expires_at timestamptz,
  is_unsure boolean NOT NULL DEFAULT false,
  last_error text,
  receipt jsonb,
  settled_at timestamptz,
  CHECK ((settled_at IS NULL) = (state = 'pending'))
);
CREATE INDEX outbox_pending ON outbox (destination, not_before, id) WHERE state = 'pending';
CREATE INDEX outbox_session ON outbox (session_id, destination, id);
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE state <> 'pending';

CREATE TABLE notification_destinations (
  destination text PRIMARY KEY,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  not_before timestamptz,
  last_error text,
  stopped_address text
);

CREATE FUNCTION tarsy_notify_of_session() RETURNS trigger LANGUAGE plpgsql AS $notify_of_session$
DECLARE
  news text := CASE NEW.status WHEN 'in_progress' THEN 'session.started' ELSE 'session.ended' END;
BEGIN
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT NEW.session_id, news, d.key, replace(news, '.', '-') || ':' || NEW.session_id || ':' || d.key, '{}'
  FROM jsonb_each(NEW.notify) AS d WHERE d.value ? news
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$notify_of_session$;
CREATE TRIGGER alert_sessions_notify AFTER UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN (NEW.notify IS NOT NULL AND NEW.status <> OLD.status
        AND NEW.status IN ('in_progress', 'completed', 'failed', 'cancelled', 'timed_out'))
  EXECUTE FUNCTION tarsy_notify_of_session();

CREATE FUNCTION tarsy_notify_of_approval() RETURNS trigger LANGUAGE plpgsql AS $notify_of_approval$
BEGIN
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT NEW.session_id, 'approval.requested', d.key, 'approval-requested:' || NEW.approval_id || ':' || d.key,
         jsonb_build_object('approval_id', NEW.approval_id)
  FROM alert_sessions s, jsonb_each(s.notify) AS d
  WHERE s.session_id = NEW.session_id AND d.value ? 'approval.requested'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$notify_of_approval$;
CREATE TRIGGER approvals_notify AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_notify_of_approval()`;

const DOWN = `
DROP TRIGGER approvals_notify ON approvals;
DROP FUNCTION tarsy_notify_of_approval();
DROP TRIGGER alert_sessions_notify ON alert_sessions;
DROP FUNCTION tarsy_notify_of_session();
DROP TABLE notification_destinations, outbox;
ALTER TABLE alert_sessions DROP COLUMN notify`;
