import { Type } from "#shared/generated/typebox/typebox.mjs";
import { DEFAULT_SOFT_RATIO, type BudgetPeriod } from "#shared/contracts/budget.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";
import type { BudgetBody } from "./contract.ts";

/** Executors read all of them every few seconds. */
const MAX_BUDGETS = 1_000;

/** What identifies a budget. */
export interface BudgetId {
  readonly scope: BudgetBody["scope"];
  readonly key: string;
  readonly period: BudgetPeriod;
}

const parseId = compileParser("changed budget", Type.Object({ scope: Type.String() }));
const parseCount = compileParser("number of budgets", Type.Object({ n: Type.Integer() }));

const SET = `
WITH changed AS (
  INSERT INTO budgets (scope, key, period, limit_usd, limit_tokens, limit_calls, soft_ratio, set_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (scope, key, period) DO UPDATE SET limit_usd = EXCLUDED.limit_usd, limit_tokens = EXCLUDED.limit_tokens,
    limit_calls = EXCLUDED.limit_calls, soft_ratio = EXCLUDED.soft_ratio, set_by = EXCLUDED.set_by, updated_at = now()
  RETURNING scope
)
SELECT scope FROM changed`;

const DELETE = `
WITH deleted AS (DELETE FROM budgets WHERE scope = $1 AND key = $2 AND period = $3 RETURNING scope)
SELECT scope FROM deleted`;

/** Sets a budget as a whole. Throws RequestError 409 if there are too many. */
export async function setBudget(
  db: Database,
  { scope, key, period }: BudgetId,
  { limit_usd, limit_tokens, limit_calls, soft_ratio = DEFAULT_SOFT_RATIO }: BudgetBody,
  setBy: string,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await selectRows(transaction, parseId, SET, [
      scope,
      key,
      period,
      limit_usd ?? null,
      limit_tokens ?? null,
      limit_calls ?? null,
      soft_ratio,
      setBy,
    ]);
    const [count] = await selectRows(transaction, parseCount, "SELECT count(*)::int AS n FROM budgets", []);
    if ((count?.n ?? 0) > MAX_BUDGETS) {
      throw new RequestError(409, `there are ${MAX_BUDGETS} budgets: delete one first`);
    }
  });
}

/** Deletes a budget; what was used stays counted, should it be set again. False if there is none. */
export async function deleteBudget(db: Database, { scope, key, period }: BudgetId): Promise<boolean> {
  return (await selectRows(db, parseId, DELETE, [scope, key, period])).length > 0;
}
