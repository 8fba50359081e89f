/**
 * The part of a step's statement that says what calls have used. It inserts under the reservation's id and touches no account, so
 * that no step waits for those of other sessions; a row that exists already was settled before.
 */
export const BUDGET_PARTS = {
  budgetSettlements: (rows: string) => `
  INSERT INTO budget_ledger (reservation_id, session_id, usd, tokens, calls)
  SELECT r.reservation_id, fence.session_id, r.usd, r.tokens, r.calls
  FROM fence, json_to_recordset(${rows}::json) AS r(reservation_id uuid, usd numeric, tokens bigint, calls bigint)
  ON CONFLICT DO NOTHING`,
} as const;
