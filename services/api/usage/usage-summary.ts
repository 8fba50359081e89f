import { alertPreview } from "#shared/alert-preview.ts";
import { costMembers } from "../views/cost.ts";
import type { UsageSummary } from "./contract.ts";
import type { Usage, UsageSums } from "./read-usage.ts";
import type { UsageQuery } from "./usage-query.ts";

/** The response of `GET /api/v1/usage/summary` for these sums. */
export function usageSummary(
  usage: Usage,
  { window, rankBy }: UsageQuery,
  isCostEstimated: boolean,
  budgets: UsageSummary["budgets"],
): UsageSummary {
  const shown = (sums: UsageSums) => shownCost(sums, isCostEstimated);
  return {
    cost_estimation_enabled: isCostEstimated,
    window: { start: new Date(window.start).toISOString(), end: new Date(window.end).toISOString() },
    rank_by: rankBy,
    totals: {
      ...countsOf(usage.totals),
      ...shown(usage.totals),
      ...costMembers(usage.totals, isCostEstimated),
      ...(isCostEstimated ? { unpriced_token_count: usage.totals.unpriced_tokens } : {}),
    },
    by_model: usage.by_model.map((sums) => ({
      model_name: sums.name,
      ...countsOf(sums),
      ...shown(sums),
      ...(isCostEstimated
        ? {
            priced: sums.priced_interaction_count > 0,
            unpriced_interaction_count: sums.unpriced_interaction_count,
          }
        : {}),
    })),
    by_alert_type: usage.by_alert_type.map((sums) => ({
      alert_type: sums.name,
      session_count: sums.session_count,
      total_tokens: sums.total_tokens,
      ...shown(sums),
    })),
    by_chain: usage.by_chain.map((sums) => ({
      chain_id: sums.name,
      session_count: sums.session_count,
      total_tokens: sums.total_tokens,
      ...shown(sums),
    })),
    budgets,
    top_sessions: usage.top_sessions.map((session) => {
      const { unpriced_interaction_count: _count, ...cost } = costMembers(session, isCostEstimated);
      return {
        session_id: session.session_id,
        alert_type: session.alert_type,
        chain_id: session.chain_id,
        alert_preview: alertPreview(session.alert_preview),
        total_tokens: session.total_tokens,
        ...cost,
        created_at: new Date(session.created_at).toISOString(),
      };
    }),
  };
}

function countsOf({ session_count, input_tokens, output_tokens, total_tokens }: UsageSums) {
  return { session_count, input_tokens, output_tokens, total_tokens };
}

function shownCost(sums: UsageSums, isCostEstimated: boolean) {
  const { estimated_cost_usd, average_cost_usd, priced_interaction_count } = sums;
  return isCostEstimated && priced_interaction_count > 0 ? { estimated_cost_usd, average_cost_usd } : {};
}
