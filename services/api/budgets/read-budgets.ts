import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { seesAll } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import {
  ANY_KEY,
  BUDGET_DIMENSIONS,
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  DEFAULT_SOFT_RATIO,
  type BudgetLimits,
  type BudgetPeriod,
  type BudgetScope,
  ResolvedBudgets,
} from "#shared/contracts/budget.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { accountName } from "#shared/database/functions/budget-sql.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { BudgetView } from "./contract.ts";

/** A budget of the configuration. */
export interface ConfiguredBudget {
  readonly scope: BudgetScope;
  readonly key: string;
  readonly period: BudgetPeriod;
  readonly limits: BudgetLimits;
}

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const Limits = { limit_usd: NumberOrNull, limit_tokens: NumberOrNull, limit_calls: NumberOrNull };
const Sums = {
  used_usd: Type.Number(),
  used_tokens: Type.Number(),
  used_calls: Type.Number(),
  reserved_usd: Type.Number(),
  reserved_tokens: Type.Number(),
  reserved_calls: Type.Number(),
};
const BudgetRow = Type.Object({
  scope: literals(BUDGET_SCOPES),
  key: Type.String(),
  period: literals(BUDGET_PERIODS),
  source: literals(["file", "api"]),
  soft_ratio: Type.Number(),
  set_by: TextOrNull,
  updated_at: TextOrNull,
  ...Limits,
  ...Sums,
});
export type BudgetRow = Static<typeof BudgetRow>;
const parseBudget = compileParser("budget with its use", BudgetRow);

/** The accounts with the rows of the ledger that have not been folded into them. */
const SUM = BUDGET_DIMENSIONS.map(
  (unit) => `(coalesce(a.used_${unit}, 0) + coalesce(l.${unit}, 0))::float8 AS used_${unit},
    greatest(0, coalesce(a.reserved_${unit}, 0) - coalesce(l.held_${unit}, 0))::float8 AS reserved_${unit}`,
).join(",\n    ");

/** $1: the budgets of the configuration, $2: the session whose own budget is asked for, or null. */
const READ = `
WITH s AS (
  SELECT scope, key, period, 'api' AS source, limit_usd, limit_tokens, limit_calls, soft_ratio, set_by, updated_at FROM budgets
  UNION ALL
  SELECT scope, key, period, 'file', limit_usd, limit_tokens, limit_calls, soft_ratio, NULL, NULL
  FROM json_to_recordset($1::json) AS f(scope text, key text, period text, limit_usd numeric, limit_tokens bigint,
       limit_calls bigint, soft_ratio numeric)
)
SELECT s.scope, s.key, s.period, s.source, s.limit_usd::float8, s.limit_tokens::float8, s.limit_calls::float8,
    s.soft_ratio::float8, s.set_by, ${isoText("s.updated_at")} AS updated_at,
    ${SUM}
FROM s LEFT JOIN budget_accounts a ON a.account = ${accountName("$2::text")}
  LEFT JOIN LATERAL (
    SELECT sum(l.usd) AS usd, sum(l.tokens) AS tokens, sum(l.calls) AS calls,
           sum(r.usd) AS held_usd, sum(r.tokens) AS held_tokens, sum(r.calls) AS held_calls
    FROM budget_ledger l JOIN budget_reservations r USING (reservation_id) WHERE r.accounts @> ARRAY[a.account]
  ) l ON true
ORDER BY s.scope, s.key, s.period, s.source`;

/**
 * All budgets of the table and the given ones of the configuration, with what is used of them in the period that runs; of a
 * session's budget in that session.
 */
export async function readBudgets(
  db: Queryable,
  configured: readonly ConfiguredBudget[],
  sessionId: string | null,
): Promise<BudgetRow[]> {
  const given = configured.map(({ scope, key, period, limits }) => ({
    scope,
    key,
    period,
    limit_usd: limits.usd,
    limit_tokens: limits.tokens,
    limit_calls: limits.calls,
    soft_ratio: limits.soft_ratio ?? DEFAULT_SOFT_RATIO,
  }));
  return selectRows(db, parseBudget, READ, [JSON.stringify(given), sessionId]);
}

/** The budgets of chains that the configuration sets, and with `withSessions` those of every session. */
export function configuredBudgets(
  { chains, defaults }: AgentConfig,
  withSessions = false,
): ConfiguredBudget[] {
  const days = [...chains].flatMap(([key, { budgets }]) =>
    budgets?.day === undefined ? [] : [{ scope: "chain", key, period: "day", limits: budgets.day } as const],
  );
  const session = defaults.budgets?.session;
  if (!withSessions || session === undefined) return days;
  return [...days, { scope: "session", key: ANY_KEY, period: "session", limits: session }];
}

/** Whether the caller may know what is used of a budget: of all if it sees all sessions, else of those of its teams. */
export function mayKnow(identity: Identity, { scope, key }: Pick<BudgetRow, "scope" | "key">): boolean {
  return seesAll(identity) || (scope === "team" && identity.teams.includes(key));
}

/** A budget as responses show it; without its use if that is of no particular session. */
export function budgetView(row: BudgetRow, hasUse: boolean): BudgetView {
  const { scope, key, period, source, soft_ratio } = row;
  const amounts = BUDGET_DIMENSIONS.flatMap((unit) => {
    const limit = row[`limit_${unit}`];
    if (limit === null) return [];
    if (!hasUse) return [{ unit, limit }];
    const used = row[`used_${unit}`];
    const reserved = row[`reserved_${unit}`];
    return [{ unit, limit, used, reserved, remaining: Math.max(0, rounded(limit - used - reserved)) }];
  });
  return { scope, key, period, source, soft_ratio, amounts };
}

/** Without the digits that come from binary fractions. */
function rounded(amount: number): number {
  return Number(amount.toFixed(9));
}

const parseStored = compileParser(
  "budgets of a stored configuration",
  Type.Object({ budgets: Type.Optional(ResolvedBudgets) }, { additionalProperties: true }),
);

/** The budgets that a session was stored with; none if another version wrote them in a way that this one does not read. */
export function storedBudgets(resolvedConfig: unknown): ResolvedBudgets {
  try {
    return parseStored(resolvedConfig).budgets ?? {};
  } catch {
    return {};
  }
}
