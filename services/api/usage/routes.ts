import type { ApiDeps } from "../api-deps.ts";
import { budgetView, configuredBudgets, mayKnow, readBudgets } from "../budgets/read-budgets.ts";
import { callerOf } from "../http/caller.ts";
import { routesOf } from "../http/routes-of.ts";
import { readLists } from "../read-replica.ts";
import { USAGE } from "./contract.ts";
import { dailyUsage } from "./daily-usage.ts";
import { readDailyUsage } from "./read-daily-usage.ts";
import { readUsage } from "./read-usage.ts";
import { parseDailyUsageQuery, parseUsageQuery } from "./usage-query.ts";
import { usageSummary } from "./usage-summary.ts";

/** The routes of what the sessions of some time that the caller may see have used. */
export function usageRoutes(deps: ApiDeps) {
  const { config, db } = deps;
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const configured = configuredBudgets(config.agents);
  return routesOf(USAGE, {
    async getUsageSummary(ctx) {
      const query = parseUsageQuery(ctx.query, isCostEstimated);
      const { identity } = callerOf(ctx);
      const usage = await readLists(deps, callerOf(ctx), async (from) =>
        from.snapshot(async (manager) => readUsage(manager, { query, identity })),
      );
      const budgets = (await readBudgets(db, configured, null)).filter(
        (row) => row.scope !== "session" && mayKnow(identity, row),
      );
      return usageSummary(
        usage,
        query,
        isCostEstimated,
        budgets.map((row) => budgetView(row, true)),
      );
    },

    async getDailyUsage(ctx) {
      const query = parseDailyUsageQuery(ctx.query, isCostEstimated);
      const { identity } = callerOf(ctx);
      const usage = await readLists(deps, callerOf(ctx), async (from) =>
        from.snapshot(async (manager) => readDailyUsage(manager, { query, identity })),
      );
      return dailyUsage(usage, query, isCostEstimated);
    },
  });
}
