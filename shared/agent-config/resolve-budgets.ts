import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/** The budgets that the sessions of a chain are stored with; those of its own go before those of the defaults, as a whole. */
export function resolveBudgets(
  { defaults }: Pick<AgentConfig, "defaults">,
  chain: Pick<ChainEntry, "budgets">,
): Pick<ResolvedChain, "budgets"> {
  const session = chain.budgets?.session ?? defaults.budgets?.session;
  const day = chain.budgets?.day;
  if (session === undefined && day === undefined) return {};
  return {
    budgets: { ...(session === undefined ? {} : { session }), ...(day === undefined ? {} : { day }) },
  };
}
