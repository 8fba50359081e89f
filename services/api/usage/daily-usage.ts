import { costMembers } from "../views/cost.ts";
import type { DailyUsage } from "./contract.ts";
import type { DailySums } from "./read-daily-usage.ts";
import type { DailyUsageQuery } from "./usage-query.ts";

/** The response of `GET /api/v1/usage/days` for these sums. */
export function dailyUsage(
  { groups, days }: DailySums,
  { window, rankBy, by }: DailyUsageQuery,
  isCostEstimated: boolean,
): DailyUsage {
  return {
    cost_estimation_enabled: isCostEstimated,
    window: { start: new Date(window.start).toISOString(), end: new Date(window.end).toISOString() },
    rank_by: rankBy,
    by,
    groups,
    days: days.map(({ day, median, p95, groups: parts, ...sums }) => ({
      day,
      session_count: sums.session_count,
      outcomes: {
        completed: sums.completed,
        failed: sums.failed,
        timed_out: sums.timed_out,
        cancelled: sums.cancelled,
        unfinished: sums.unfinished,
      },
      duration_ms: median === null || p95 === null ? null : { median, p95 },
      input_tokens: sums.input_tokens,
      output_tokens: sums.output_tokens,
      total_tokens: sums.total_tokens,
      ...costMembers(sums, isCostEstimated),
      groups: parts.map(
        ({ name, session_count, total_tokens, estimated_cost_usd, priced_interaction_count }) => ({
          name,
          session_count,
          total_tokens,
          ...(isCostEstimated && priced_interaction_count > 0 ? { estimated_cost_usd } : {}),
        }),
      ),
    })),
  };
}
