import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { priceCall } from "#shared/pricing/price-call.ts";

/** The smallest call: every model with a price has one for it. */
const SMALL_CALL = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, thinking: 0 };

/** The models without a price by a configuration, such as "big (model acme-7b)", sorted. */
export function unpricedModels(
  config: Pick<AgentConfig, "system">,
  providers: readonly Pick<ResolvedProvider, "name" | "type" | "model">[],
): string[] {
  const estimation = costEstimationOf(config);
  const unpriced = providers.filter(
    ({ type, model }) => priceCall(estimation, { type, model }, SMALL_CALL, Date.now()) === null,
  );
  return [...new Set(unpriced.map(({ name, model }) => `${name} (model ${model})`))].toSorted();
}
