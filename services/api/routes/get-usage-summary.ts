import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { budgetView, configuredBudgets, mayKnow, readBudgets } from "../budgets/read-budgets.ts";
import { callerOf } from "../http/caller.ts";
import { readUsage } from "../usage/read-usage.ts";
import { parseUsageQuery } from "../usage/usage-query.ts";
import { usageSummary } from "../usage/usage-summary.ts";

/** `GET /api/v1/usage/summary`: what the sessions of some time that the caller may see have used, and what that costs. */
export function getUsageSummary({ config, db, orm }: ApiDeps): RouterMiddleware {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const configured = configuredBudgets(config.agents);
  return async (ctx) => {
    const query = parseUsageQuery(ctx.query, isCostEstimated);
    const { identity } = callerOf(ctx);
    const usage = await orm.transaction(async (manager) => readUsage(manager, { query, identity }));
    const budgets = (await readBudgets(db, configured, null)).filter(
      (row) => row.scope !== "session" && mayKnow(identity, row),
    );
    ctx.body = usageSummary(
      usage,
      query,
      isCostEstimated,
      budgets.map((row) => budgetView(row, true)),
    );
  };
}
