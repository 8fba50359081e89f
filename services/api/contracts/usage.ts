import { DailyUsageQuery, DailyUsageResponse, UsageQuery, UsageSummaryResponse } from "../schemas/usage.ts";
import type { RouteContracts } from "./legacy.ts";

/** What sessions have used. */
export const USAGE_CONTRACTS = {
  "GET /api/v1/usage/summary": {
    id: "getUsageSummary",
    tag: "usage",
    summary: "Tokens and costs of the sessions that were created in a window, by model, alert type and chain",
    query: UsageQuery,
    responses: {
      200: { description: "at most 500 groups of each kind, 20 sessions", schema: UsageSummaryResponse },
    },
  },
  "GET /api/v1/usage/days": {
    id: "getDailyUsage",
    tag: "usage",
    summary: "Tokens, costs, outcomes and durations of the same sessions by the day of their creation",
    query: DailyUsageQuery,
    responses: {
      200: { description: "the days that have sessions, in order", schema: DailyUsageResponse },
    },
  },
} as const satisfies RouteContracts;
