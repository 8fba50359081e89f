import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { parseConfigInstant } from "#shared/agent-config/parse-config-instant.ts";
import type { CostEstimation, Promotion } from "#shared/pricing/price-call.ts";

/** How calls are priced by this configuration. */
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
