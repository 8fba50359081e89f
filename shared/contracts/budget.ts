import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** The scope that a budget limits together: one session, the sessions of a chain or of a team, or all sessions. */
export const BUDGET_SCOPES = ["session", "chain", "team", "day"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** The time over which use is added up: the session's whole life, or a day or a month in UTC by the database's clock. */
export const BUDGET_PERIODS = ["session", "day", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The counted quantities: USD by the prices of calls, tokens of input, output and thinking, and LLM calls. */
export const BUDGET_DIMENSIONS = ["usd", "tokens", "calls"] as const;

/** The key of a budget that is not about something named. */
export const ANY_KEY = "*";

/** Agents conclude from this part of a limit on, unless the budget says otherwise. */
export const DEFAULT_SOFT_RATIO = 0.8;

/** Limits of one period; at least one is present. */
export const BudgetLimits = Type.Object({
  usd: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  calls: Type.Optional(Type.Integer({ minimum: 1 })),
  soft_ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
});
export type BudgetLimits = Static<typeof BudgetLimits>;

/** The budgets that a session is stored with. */
export const ResolvedBudgets = Type.Object({
  /** The budget of the session itself. */
  session: Type.Optional(BudgetLimits),
  /** The budget of all sessions of its chain in a day. */
  day: Type.Optional(BudgetLimits),
});
export type ResolvedBudgets = Static<typeof ResolvedBudgets>;

/** The limit that an agent has reached, or that its next call could exceed. */
export const BudgetCause = Type.Object({
  scope: literals(BUDGET_SCOPES),
  /** The chain or team; `*` for the others. */
  key: Type.String(),
  period: literals(BUDGET_PERIODS),
  /** USD, tokens or calls; also the unit of the numbers. */
  dimension: literals(BUDGET_DIMENSIONS),
  limit: Type.Number(),
  used: Type.Number(),
  /** The most that running calls can still use, and what is kept back for conclusions. */
  reserved: Type.Number(),
});
export type BudgetCause = Static<typeof BudgetCause>;

/** Such as "the budget of this session of 1 USD has no room for another LLM call: 0.9 used, 0.05 reserved". */
export function exceededText(cause: BudgetCause): string {
  const { used, reserved } = cause;
  return `${budgetName(cause)} has no room for another LLM call: ${shown(used)} used, ${shown(reserved)} reserved`;
}

/** The amount with six decimals at most. */
function shown(amount: number): string {
  return String(Number(amount.toFixed(6)));
}

const WHOSE = { session: "this session", chain: "chain", team: "team", day: "all sessions" } as const;

/** Such as "the budget of chain k8s (day) of 5 USD". */
export function budgetName({ scope, key, period, dimension, limit }: BudgetCause): string {
  const whose = scope === "chain" || scope === "team" ? `${WHOSE[scope]} ${key}` : WHOSE[scope];
  const unit = dimension === "usd" ? "USD" : dimension;
  return `the budget of ${whose}${period === "session" ? "" : ` for this ${period}`} of ${limit} ${unit}`;
}

/** The share of the calls with known tokens that have a price. */
export const COST_COMPLETENESS = ["complete", "partial", "none"] as const;
export type CostCompleteness = (typeof COST_COMPLETENESS)[number];
