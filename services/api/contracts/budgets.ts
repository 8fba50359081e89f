import { BudgetBody, BudgetQuery, ChangedBudget, BudgetsResponse } from "../schemas/budgets.ts";
import type { RouteContracts } from "./legacy.ts";

/** Limits of what LLM calls may use. */
export const BUDGET_CONTRACTS = {
  "GET /api/v1/budgets": {
    id: "listBudgets",
    tag: "usage",
    summary: "All budgets, those of the configuration included, with what is used of them",
    responses: { 200: { description: "by scope, key and period", schema: BudgetsResponse } },
  },
  "PUT /api/v1/budgets": {
    id: "setBudget",
    tag: "usage",
    summary: "Set a budget, or replace it as a whole",
    body: { schema: BudgetBody, example: { scope: "day", limit_usd: 25, soft_ratio: 0.9 } },
    responses: { 200: { description: "the budget, with what is used of it", schema: ChangedBudget } },
    errors: [409, 422],
  },
  "DELETE /api/v1/budgets": {
    id: "deleteBudget",
    tag: "usage",
    summary: "Delete a budget that was set by the api",
    query: BudgetQuery,
    responses: { 204: { description: "deleted" } },
    errors: [404],
  },
} as const satisfies RouteContracts;
