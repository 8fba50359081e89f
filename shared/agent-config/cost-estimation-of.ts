import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { parseConfigInstant } from "#shared/agent-config/parse-duration.ts";
import { type CostEstimation, type Promotion, priceCall } from "#shared/pricing/price-call.ts";
import { providersOfChain } from "#shared/agent-config/providers-of-chain.ts";

/** The prices of calls by this configuration. */
export function costEstimationOf({ system }: Pick<AgentConfig, "system">): CostEstimation {
  const { enabled, model_rates = {}, promotions = [] } = system.cost_estimation;
  return {
    enabled,
    modelRates: new Map(Object.entries(model_rates)),
    promotions: promotions.map(({ start, end, ...rest }): Promotion => {
      const startMs = start === undefined ? undefined : parseConfigInstant(start);
      const endMs = end === undefined ? undefined : parseConfigInstant(end);
      return {
        ...rest,
        ...(startMs === undefined ? {} : { startMs }),
        ...(endMs === undefined ? {} : { endMs }),
      };
    }),
  };
}

/** The smallest call: every model with a price has one for it. */
const SMALL_CALL = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, thinking: 0 };

/**
 * The obstacle to a limit in USD for the sessions of these chains: the providers whose models have no price, such as
 * "big (model acme-7b)", sorted; or that costs are not estimated at all. Null if nothing does.
 */
export function unpricedProviders(config: AgentConfig, chainIds: Iterable<string>): string | null {
  const estimation = costEstimationOf(config);
  if (!estimation.enabled) return "costs are not estimated: system.cost_estimation.enabled is false";
  const unpriced = new Set<string>();
  for (const chainId of chainIds) {
    for (const { name, type, model } of providersOfChain(config, chainId).values()) {
      if (priceCall(estimation, { type, model }, SMALL_CALL, Date.now()) === null) {
        unpriced.add(`${name} (model ${model})`);
      }
    }
  }
  if (unpriced.size === 0) return null;
  const names = [...unpriced].toSorted().join(", ");
  return `no price is known for ${names}: add each model to system.cost_estimation.model_rates`;
}
