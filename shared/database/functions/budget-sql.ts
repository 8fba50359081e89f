/**
 * Moves what calls have used from the ledger into the accounts, which the caller has locked. The deletion decides which of two
 * callers counts a row.
 */
export const FOLD = (schema: string, ids: string) => `
  WITH taken AS (
    DELETE FROM ${schema}.budget_ledger l WHERE l.reservation_id = ANY (${ids}) RETURNING l.*
  ), freed AS (
    DELETE FROM ${schema}.budget_reservations r USING taken t WHERE r.reservation_id = t.reservation_id
    RETURNING r.accounts, r.usd AS held_usd, r.tokens AS held_tokens, r.calls AS held_calls, t.usd, t.tokens, t.calls
  ), sums AS (
    SELECT charged.account, sum(f.held_usd) AS held_usd, sum(f.held_tokens) AS held_tokens, sum(f.held_calls) AS held_calls,
           sum(f.usd) AS usd, sum(f.tokens) AS tokens, sum(f.calls) AS calls
    FROM freed f, unnest(f.accounts) AS charged(account) GROUP BY charged.account
  )
  UPDATE ${schema}.budget_accounts a SET
    reserved_usd = a.reserved_usd - s.held_usd, reserved_tokens = a.reserved_tokens - s.held_tokens,
    reserved_calls = a.reserved_calls - s.held_calls,
    used_usd = a.used_usd + s.usd, used_tokens = a.used_tokens + s.tokens, used_calls = a.used_calls + s.calls
  FROM sums s WHERE a.account = s.account`;

/** Every statement that locks several accounts does so in the order of their keys. */
export const LOCK = (schema: string, accounts: string) => `
  PERFORM 1 FROM ${schema}.budget_accounts a WHERE a.account = ANY (${accounts}) ORDER BY a.account FOR UPDATE`;

/**
 * What an account is named: the scope, the period by the database's clock in UTC (of a session its id, the SQL of which is given),
 * and the key. With `s` as the scope's row.
 */
export const accountName = (sessionId: string) => `(s.scope || ':' || CASE s.period
    WHEN 'session' THEN ${sessionId}
    WHEN 'month' THEN to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')
    ELSE to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') END || ':' || s.key) COLLATE "C"`;
