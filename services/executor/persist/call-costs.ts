import type { CostSum } from "#shared/database/cost-sums.ts";
import { parseUsd, usdText } from "#shared/pricing/usd.ts";
import type { NewLlmInteraction } from "../state/step-rows.ts";

/** What LLM calls add to the sums of their execution and session; the cost is decimal text. */
export type CallCosts = Readonly<Record<Exclude<CostSum, "estimated_cost_usd">, number>> & {
  readonly estimated_cost_usd: string;
};

/** The sums over these calls, exactly. A call without tokens is neither priced nor unpriced. */
export function callCosts(calls: readonly NewLlmInteraction[]): CallCosts {
  const priced = calls.flatMap(({ estimated_cost_usd: usd }) => usd ?? []);
  const unpriced = calls.filter((call) => call.estimated_cost_usd === null && (call.total_tokens ?? 0) > 0);
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce<number>((all, count) => all + (count ?? 0), 0);
  return {
    cached_input_tokens: sum(calls.map((call) => call.cached_input_tokens)),
    estimated_cost_usd: usdText(priced.reduce((all, usd) => all + parseUsd(usd), 0n)),
    priced_interaction_count: priced.length,
    unpriced_interaction_count: unpriced.length,
    unpriced_tokens: sum(unpriced.map((call) => call.total_tokens)),
  };
}
