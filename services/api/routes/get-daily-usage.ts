import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { dailyUsage } from "../usage/daily-usage.ts";
import { readDailyUsage } from "../usage/read-daily-usage.ts";
import { parseDailyUsageQuery } from "../usage/usage-query.ts";

/** `GET /api/v1/usage/days`: the same sessions as in the summary, by the day of their creation. */
export function getDailyUsage({ config, orm }: ApiDeps): RouterMiddleware {
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  return async (ctx) => {
    const query = parseDailyUsageQuery(ctx.query, isCostEstimated);
    const { identity } = callerOf(ctx);
    const usage = await orm.transaction(async (manager) => readDailyUsage(manager, { query, identity }));
    ctx.body = dailyUsage(usage, query, isCostEstimated);
  };
}
