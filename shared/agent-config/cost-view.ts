import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { PRICE_SNAPSHOT } from "#shared/pricing/price-snapshot.ts";

/** The prices come with the version and are never fetched. */
const CATALOG = {
  source: "snapshot",
  entry_count: Object.values(PRICE_SNAPSHOT.families).reduce(
    (count, { models }) => count + Object.keys(models).length,
    0,
  ),
} as const;

/**
 * How calls are priced, in the contract's shape: the written prices by model, the promotions with their state at `now`, and the list
 * that the other prices come from.
 */
export function costView(config: Pick<AgentConfig, "system">, now: Date): object {
  const { enabled, model_rates = {} } = config.system.cost_estimation;
  const { promotions } = costEstimationOf(config);
  return {
    enabled,
    model_rates,
    promotions: promotions.map(({ startMs, endMs, ...rates }) => ({
      ...rates,
      ...(startMs === undefined ? {} : { start: new Date(startMs).toISOString() }),
      ...(endMs === undefined ? {} : { end: new Date(endMs).toISOString() }),
      status: stateAt(startMs ?? -Infinity, endMs ?? Infinity, now.getTime()),
    })),
    catalog: CATALOG,
  };
}

function stateAt(startMs: number, endMs: number, ms: number): "active" | "upcoming" | "expired" {
  if (ms < startMs) return "upcoming";
  return ms < endMs ? "active" : "expired";
}
