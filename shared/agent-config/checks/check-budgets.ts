import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { unpricedProviders } from "#shared/agent-config/unpriced-providers.ts";
import { hasSixDecimals } from "#shared/pricing/usd.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { LimitsEntry } from "#shared/agent-config/schemas/budgets.ts";

/**
 * Checks the budgets of a configuration that is otherwise valid: each limits something, USD have six decimals at most, and where USD
 * are limited every model that sessions can call has a price.
 */
export function checkBudgets(config: AgentConfig, reporter: Reporter): void {
  const { defaults, chains } = config;
  const ownChains = [...chains].filter(([, chain]) => chain.budgets?.session === undefined).map(([id]) => id);
  checkLimits(defaults.budgets?.session, ownChains, { config, reporter });
  for (const [id, { budgets }] of chains) {
    checkLimits(budgets?.session, [id], { config, reporter });
    checkLimits(budgets?.day, [id], { config, reporter });
  }
}

function checkLimits(
  limits: LimitsEntry | undefined,
  chainIds: readonly string[],
  { config, reporter }: { readonly config: AgentConfig; readonly reporter: Reporter },
): void {
  if (limits === undefined || !reporter.sources.has(limits)) return;
  const { usd, tokens, calls } = limits;
  if (usd === undefined && tokens === undefined && calls === undefined) {
    reporter.error({ container: limits }, "must limit usd, tokens or calls");
  }
  if (usd === undefined) return;
  const target = { container: limits, key: "usd" };
  if (!hasSixDecimals(usd)) {
    reporter.error(target, "must have at most six decimals");
  }
  const problem = unpricedProviders(config, chainIds);
  if (problem !== null) reporter.error(target, "needs the price of every model that is called", problem);
}
