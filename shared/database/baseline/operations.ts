/** Processes, providers, access and budgets. */
export const OPERATIONS = `
-- When each executor was last alive, and how many places it has.
CREATE TABLE executors (
  executor_id uuid PRIMARY KEY,
  pod_id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  stopped_at timestamptz,
  slots integer
);

-- A row exists while a provider fails. It is away once opened_at is set; from probe_at on one executor at a time may
-- call it, the one whose call probe_by names, until probe_until.
CREATE TABLE llm_circuits (
  provider text NOT NULL,
  entry_hash text NOT NULL,
  first_failure_at timestamptz NOT NULL DEFAULT now(),
  first_session uuid NOT NULL,
  last_error text NOT NULL,
  opened_at timestamptz,
  failed_probes integer NOT NULL DEFAULT 0,
  probe_at timestamptz,
  probe_by uuid,
  probe_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, entry_hash)
);

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

-- Tickets of WebSocket clients that cannot send headers.
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
CREATE INDEX audit_log_session ON audit_log (session_id) WHERE session_id IS NOT NULL;

-- The number of a migration that a process must know to use this schema. Only a migration that removes or changes
-- what older processes use raises it; check-schema-support.ts reads it, and docs/upgrading.md has the rules.
CREATE TABLE schema_support (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  needs_migration integer NOT NULL
);
INSERT INTO schema_support (needs_migration) VALUES (0);

CREATE TABLE budgets (
  scope text NOT NULL CHECK (scope IN ('session', 'chain', 'team', 'day')),
  key text NOT NULL,
  period text NOT NULL CHECK (period IN ('session', 'day', 'month')),
  limit_usd numeric(18, 6) CHECK (limit_usd > 0),
  limit_tokens bigint CHECK (limit_tokens > 0),
  limit_calls bigint CHECK (limit_calls > 0),
  soft_ratio numeric(4, 3) NOT NULL CHECK (soft_ratio > 0 AND soft_ratio <= 1),
  set_by text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, key, period),
  CHECK (coalesce(limit_usd, limit_tokens, limit_calls) IS NOT NULL),
  CHECK ((scope = 'session') = (period = 'session')),
  CHECK (scope NOT IN ('session', 'day') OR key = '*')
);

-- One row for each thing that is limited in each period; the text key is the order in which rows are locked.
CREATE TABLE budget_accounts (
  account text COLLATE "C" PRIMARY KEY,
  scope text NOT NULL,
  key text NOT NULL,
  period text NOT NULL,
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  used_usd numeric(24, 12) NOT NULL DEFAULT 0,
  used_tokens bigint NOT NULL DEFAULT 0,
  used_calls bigint NOT NULL DEFAULT 0,
  reserved_usd numeric(24, 12) NOT NULL DEFAULT 0,
  reserved_tokens bigint NOT NULL DEFAULT 0,
  reserved_calls bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_accounts_session ON budget_accounts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX budget_accounts_created ON budget_accounts (created_at) WHERE session_id IS NULL;

-- Names its accounts, not its session by a foreign key: what was spent counts although the session is removed.
CREATE TABLE budget_reservations (
  reservation_id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('call', 'conclusion')),
  session_id uuid NOT NULL,
  lease_epoch integer NOT NULL,
  execution_id uuid,
  accounts text[] NOT NULL,
  usd numeric(24, 12) NOT NULL,
  tokens bigint NOT NULL,
  calls bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_reservations_session ON budget_reservations (session_id);

-- What a call has used, written by its step under the reservation's id, so that no step waits for an account. The
-- rows are folded into the accounts later; the primary key lets that happen once.
CREATE TABLE budget_ledger (
  reservation_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  usd numeric(24, 12) NOT NULL,
  tokens bigint NOT NULL,
  calls bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_ledger_session ON budget_ledger (session_id);
`;
