import { FOLD, LOCK } from "#shared/database/functions/budget-sql.ts";
import type { OwnedFunction } from "#shared/database/schema/service-roles.ts";
import { RESERVE_BUDGET } from "#shared/database/functions/reserve-budget-function.ts";

/**
 * The functions that change accounts. One of the executor, whose caller must hold the lock of the session's runtime row and have
 * checked its fence: accounts are locked after it, never before. Two of the api's sweeper, which holds no other lock.
 */
export const BUDGET_FUNCTIONS: readonly OwnedFunction[] = [
  RESERVE_BUDGET,
  {
    // Folds at most `page` rows of the ledger, oldest first; returns how many there were.
    name: "tarsy_fold_budgets",
    parameters: "page integer",
    returns: "integer",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  settled uuid[];
  touched text[];
BEGIN
  SELECT array_agg(x.reservation_id) INTO settled
  FROM (SELECT l.reservation_id FROM ${schema}.budget_ledger l ORDER BY l.created_at LIMIT page) x;
  IF settled IS NULL THEN RETURN 0; END IF;
  SELECT array_agg(DISTINCT charged.account) INTO touched
  FROM ${schema}.budget_reservations r, unnest(r.accounts) AS charged(account) WHERE r.reservation_id = ANY (settled);
${LOCK(schema, "touched")};
${FOLD(schema, "settled")};
  RETURN array_length(settled, 1);
END`,
    execute: ["api"],
  },
  {
    // Settles what owners that are gone have left, at most `page` rows: a call whose outcome is unknown has used the most that it
    // could; what was kept for a conclusion of an agent that has ended has used nothing. An owner whose epoch is past, or that gave
    // its lease back, can settle nothing itself any more: the fence refuses its steps. Returns how many calls were settled so.
    name: "tarsy_settle_lost_budgets",
    parameters: "page integer",
    returns: "integer",
    language: "plpgsql",
    body: (schema) => `
DECLARE
  lost integer;
BEGIN
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT r.reservation_id, r.session_id, r.usd, r.tokens, r.calls FROM ${schema}.budget_reservations r
  WHERE r.kind = 'call' AND NOT EXISTS (SELECT FROM ${schema}.session_runtime o
    WHERE o.session_id = r.session_id AND o.lease_epoch = r.lease_epoch AND o.lease_expires_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM ${schema}.budget_ledger l WHERE l.reservation_id = r.reservation_id)
  LIMIT page ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS lost = ROW_COUNT;
  INSERT INTO ${schema}.budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT r.reservation_id, r.session_id, 0, 0, 0 FROM ${schema}.budget_reservations r
  WHERE r.kind = 'conclusion' AND NOT EXISTS (SELECT FROM ${schema}.agent_executions e
    WHERE e.execution_id = r.execution_id AND e.status IN ('pending', 'active'))
    AND NOT EXISTS (SELECT FROM ${schema}.budget_ledger l WHERE l.reservation_id = r.reservation_id)
  LIMIT page ON CONFLICT DO NOTHING;
  RETURN lost;
END`,
    execute: ["api"],
  },
  {
    name: "tarsy_remove_old_budget_accounts",
    parameters: "page integer",
    returns: "integer",
    language: "sql",
    body: (schema) => `
WITH old AS (
  SELECT a.account FROM ${schema}.budget_accounts a
  WHERE a.session_id IS NULL AND a.created_at < now() - make_interval(days => 400)
    AND a.reserved_calls = 0 ORDER BY a.created_at LIMIT page FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ${schema}.budget_accounts a USING old WHERE a.account = old.account RETURNING 1
)
SELECT count(*)::integer FROM deleted`,
    execute: ["api"],
  },
];
