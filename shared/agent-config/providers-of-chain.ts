import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { resolveFound } from "#shared/agent-config/resolve-chain.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import type { ResolvedAgent, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { providersOfAgent, providersOfResolved } from "#shared/agent-config/providers-of-resolved.ts";
import { TerminalError } from "#shared/errors.ts";

/** Every provider that the sessions of a chain can call, by name: of agents, summaries, answers and judges. */
export function providersOfChain(
  config: AgentConfig,
  chainId: string,
): ReadonlyMap<string, ResolvedProvider> {
  const chain = config.chains.get(chainId);
  if (chain === undefined) return new Map();
  const found = { chainId, alertType: chain.alert_types[0] ?? "", chain };
  const resolved = [resolveFound(config, found, true), resolveChat(config, found, true)];
  const judge = judgeOf(config, chain);
  const providers = [
    ...resolved.flatMap((one) => (one === undefined ? [] : providersOfResolved(one))),
    ...(judge === undefined ? [] : providersOfAgent(judge)),
  ];
  return new Map(providers.map((provider) => [provider.name, provider]));
}

/** A chain can be without one: then nobody can have its sessions scored. */
function judgeOf(
  config: AgentConfig,
  chain: Parameters<typeof resolveScoring>[1],
): ResolvedAgent | undefined {
  try {
    return resolveScoring(config, chain);
  } catch (error) {
    if (error instanceof TerminalError) return undefined;
    throw error;
  }
}
