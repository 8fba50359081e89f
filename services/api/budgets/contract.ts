import { BUDGET_DIMENSIONS, BUDGET_PERIODS, BUDGET_SCOPES } from "#shared/contracts/budget.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { Endpoints } from "../http/endpoint.ts";

const Amount = Type.Number({ minimum: 0 });

/** What one budget limits in one unit. */
const BudgetAmount = Type.Object(
  {
    unit: literals(BUDGET_DIMENSIONS),
    limit: Amount,
    used: Type.Optional(Amount),
    reserved: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "the most that running calls can still use, and what is kept back for conclusions",
      }),
    ),
    remaining: Type.Optional(Type.Number({ minimum: 0, description: "limit − used − reserved, at least 0" })),
  },
  { title: "BudgetAmount" },
);

const BUDGET = {
  scope: literals(BUDGET_SCOPES),
  key: Type.String({ description: "the chain or the team; `*` for the others" }),
  period: literals(BUDGET_PERIODS),
  source: Type.Union([Type.Literal("file"), Type.Literal("api")], { description: "where it is set" }),
  soft_ratio: Type.Number({ description: "from this part of a limit on agents conclude" }),
  amounts: Type.Array(BudgetAmount, {
    description: "of the period that runs; of every session's budget only the limits",
  }),
};

/** A budget and its use, in a session or in the usage. */
export const BudgetView = Type.Object(BUDGET, { title: "Budget" });
export type BudgetView = Static<typeof BudgetView>;

const ChangedBudget = Type.Object(BUDGET, { title: "ChangedBudget" });

/** `GET /api/v1/budgets` */
export const BudgetsResponse = Type.Object({
  budgets: Type.Array(
    Type.Object(
      {
        ...BUDGET,
        set_by: Type.Optional(Type.String()),
        updated_at: Type.Optional(Type.String({ description: "ISO 8601, UTC" })),
      },
      { title: "SetBudget" },
    ),
  ),
});
export type BudgetsResponse = Static<typeof BudgetsResponse>;

const KEY = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "the chain or the team; absent or `*` for the scopes session and day",
  }),
);
const PERIOD = Type.Optional(
  Type.With(literals(BUDGET_PERIODS), {
    description:
      "of a chain or a team `day` (default) or `month`, in UTC; `session` and `day` for the scopes of these names",
  }),
);

/** The query of `DELETE /api/v1/budgets`. */
export const BudgetQuery = Type.Object({ scope: literals(BUDGET_SCOPES), key: KEY, period: PERIOD });
export type BudgetQuery = Static<typeof BudgetQuery>;

/** The body of `PUT /api/v1/budgets`: the whole budget, with at least one limit. */
export const BudgetBody = Type.Object({
  scope: literals(BUDGET_SCOPES),
  key: KEY,
  period: PERIOD,
  limit_usd: Type.Optional(Type.Number({ minimum: 0.000_001, maximum: 1_000_000 })),
  limit_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  limit_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  soft_ratio: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1, default: 0.8 })),
});
export type BudgetBody = Static<typeof BudgetBody>;

/** Limits of what LLM calls may use. */
export const BUDGETS = {
  listBudgets: {
    method: "get",
    path: "/api/v1/budgets",
    action: "budget.read",
    tag: "usage",
    summary: "All budgets, those of the configuration included, with what is used of them",
    responses: { 200: { description: "by scope, key and period", schema: BudgetsResponse } },
  },
  setBudget: {
    method: "put",
    path: "/api/v1/budgets",
    action: "budget.change",
    tag: "usage",
    summary: "Set a budget, or replace it as a whole",
    body: { schema: BudgetBody, example: { scope: "day", limit_usd: 25, soft_ratio: 0.9 } },
    responses: { 200: { description: "the budget, with what is used of it", schema: ChangedBudget } },
    errors: [409, 422],
  },
  deleteBudget: {
    method: "delete",
    path: "/api/v1/budgets",
    action: "budget.change",
    tag: "usage",
    summary: "Delete a budget that was set by the api",
    query: BudgetQuery,
    responses: { 204: { description: "deleted" } },
    errors: [404],
  },
} as const satisfies Endpoints;
