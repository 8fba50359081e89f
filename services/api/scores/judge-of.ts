import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";

/**
 * The agent that judges a session: that of its chain's configuration today or, if the chain is configured no more, that of the
 * session's own. A text that says why, if there is none.
 */
export function judgeOf(agents: AgentConfig, stored: ResolvedChain): ResolvedAgent | string {
  const chain = agents.chains.get(stored.chain_id);
  if (chain === undefined) return stored.scoring?.agent ?? "chain configuration not found";
  try {
    return resolveScoring(agents, chain);
  } catch (error) {
    if (error instanceof TerminalError) return error.message;
    throw error;
  }
}
