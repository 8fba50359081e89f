/** Alerts beside those that start sessions, and notifications. */
export const ALERTS = `
-- What webhooks received that starts no session, such as that an alert is resolved. key is the same for repetitions,
-- of which the first is kept. session_id: the session of the same alerts, if there is one.
CREATE TABLE alert_notifications (
  key text PRIMARY KEY,
  source text NOT NULL,
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  body text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX alert_notifications_received ON alert_notifications (received_at);
CREATE INDEX alert_notifications_session ON alert_notifications (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE alert_group_secrets (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  secret text NOT NULL
);
INSERT INTO alert_group_secrets (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);

-- One row for each key, which is the lock of every decision about the group; session_id is null only within the
-- transaction that inserts the row. count: the alerts of this session; bytes: those of the texts that are stored of
-- them.
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

-- data is null for the alert that opened the session, which has its text, and beyond the bounds. ordinal counts the
-- alerts of a session from 1 without a gap. source_key: a digest of what tells the alerts of a group apart.
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

-- An agent has read the alerts up to through; sequence_number is the message's.
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

-- What people and other systems are told, written by triggers in the transaction that decides it. dedup_key has no
-- full stop, because it is the id of a signed webhook. is_unsure: an earlier attempt may have been received although
-- no answer to it was.
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

-- A row for each destination that has been tried.
CREATE TABLE notification_destinations (
  destination text PRIMARY KEY,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  not_before timestamptz,
  last_error text,
  stopped_address text
);
`;
