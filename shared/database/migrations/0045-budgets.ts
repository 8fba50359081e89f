import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores limits of what LLM calls may use, what they have used and what running calls may still use. Only adds: the version before
 * has no limits.
 */
export class Budgets0000000000045 implements MigrationInterface {
  readonly name = "Budgets0000000000045";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `budget_accounts` has one row for each thing that is limited in each period; its text key is the order in which rows are locked.
 * A step writes to `budget_ledger` what a call has used, under the reservation's id, so that no step waits for an account; the
 * rows are folded into the accounts later, and the primary key lets that happen once. Reservations name their accounts, not their
 * session by a foreign key: what was spent counts although the session is removed.
 */
const UP = `
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
CREATE TABLE budget_ledger (
  reservation_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  usd numeric(24, 12) NOT NULL,
  tokens bigint NOT NULL,
  calls bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_ledger_session ON budget_ledger (session_id)`;

const DOWN = "DROP TABLE budget_ledger, budget_reservations, budget_accounts, budgets";
