import { table, ALL, READ, USD } from "#shared/database/tables/table.ts";
import { BUDGET_SCOPES, BUDGET_PERIODS } from "#shared/contracts/budget.ts";

/** A limit of what LLM calls may use. */
export const BUDGETS = table({
  name: "budgets",
  columns: {
    scope: { type: "text", primary: true, enum: BUDGET_SCOPES, checked: true, from: "ours" },
    key: { type: "text", primary: true, from: "name" },
    period: { type: "text", primary: true, enum: BUDGET_PERIODS, checked: true, from: "ours" },
    limit_usd: { type: "numeric", precision: 18, scale: 6, nullable: true, ddl: "CHECK (limit_usd > 0)" },
    limit_tokens: { type: "bigint", nullable: true, ddl: "CHECK (limit_tokens > 0)" },
    limit_calls: { type: "bigint", nullable: true, ddl: "CHECK (limit_calls > 0)" },
    soft_ratio: {
      type: "numeric",
      precision: 4,
      scale: 3,
      ddl: "CHECK (soft_ratio > 0 AND soft_ratio <= 1)",
    },
    set_by: { type: "text", from: "caller" },
    updated_at: { type: "timestamptz", default: "now()" },
  },
  constraints: [
    "CHECK (coalesce(limit_usd, limit_tokens, limit_calls) IS NOT NULL)",
    "CHECK ((scope = 'session') = (period = 'session'))",
    "CHECK (scope NOT IN ('session', 'day') OR key = '*')",
  ],
  grants: { api: ALL, executor: READ },
  purge: { kind: "kept", because: "limits hold until an admin deletes them" },
});

/**
 * What was used and reserved of one thing that is limited, in one period. Rows are locked in the order of their key. Only the functions of
 * `budget-functions.ts` change accounts and reservations.
 */
export const BUDGET_ACCOUNTS = table({
  name: "budget_accounts",
  columns: {
    account: { type: "text", primary: true, from: "copies", ddl: 'COLLATE "C"' },
    scope: { type: "text", from: "ours" },
    key: { type: "text", from: "copies" },
    period: { type: "text", from: "ours" },
    session_id: { type: "uuid", nullable: true, ddl: "REFERENCES alert_sessions ON DELETE CASCADE" },
    used_usd: { ...USD, default: "0" },
    used_tokens: { type: "bigint", default: "0" },
    used_calls: { type: "bigint", default: "0" },
    reserved_usd: { ...USD, default: "0" },
    reserved_tokens: { type: "bigint", default: "0" },
    reserved_calls: { type: "bigint", default: "0" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: [
    "budget_accounts_session (session_id) WHERE session_id IS NOT NULL",
    "budget_accounts_created (created_at) WHERE session_id IS NULL",
  ],
  grants: { api: READ },
  purge: {
    kind: "own",
    by: "the session of an account, or the api's clean-up 400 days after the account was opened",
  },
});

/**
 * What a call may use at most. It names its accounts, and its session without a foreign key: what was spent counts although the session is
 * removed.
 */
export const BUDGET_RESERVATIONS = table({
  name: "budget_reservations",
  columns: {
    reservation_id: { type: "uuid", primary: true },
    kind: { type: "text", from: "ours", ddl: "CHECK (kind IN ('call', 'conclusion'))" },
    session_id: { type: "uuid" },
    lease_epoch: { type: "integer" },
    execution_id: { type: "uuid", nullable: true },
    accounts: { type: "text", array: true, from: "copies" },
    usd: USD,
    tokens: { type: "bigint" },
    calls: { type: "bigint" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["budget_reservations_session (session_id)"],
  grants: { api: READ },
  purge: { kind: "own", by: "the settlement of the call, or the api's sweeper once its owner is gone" },
});

/**
 * What a call has used, written by its step under the reservation's id, so that no step waits for an account. The rows are folded into the
 * accounts later; the primary key lets that happen once.
 */
export const BUDGET_LEDGER = table({
  name: "budget_ledger",
  columns: {
    reservation_id: { type: "uuid", primary: true },
    session_id: { type: "uuid" },
    usd: USD,
    tokens: { type: "bigint" },
    calls: { type: "bigint" },
    created_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["budget_ledger_session (session_id)"],
  grants: { api: READ, executor: { insert: true } },
  purge: { kind: "own", by: "the next reservation of the session, or the api's sweeper within seconds" },
});
