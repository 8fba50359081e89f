import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { resolveFound } from "#shared/agent-config/resolve-chain.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import {
  withSubAgents,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
} from "#shared/contracts/resolved-chain.ts";
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
    ...resolved.flatMap((one) => (one === undefined ? [] : providersOf(one))),
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

function providersOf({
  stages,
  executive_summary,
  mcp_server_summaries = {},
}: ResolvedChain): ResolvedProvider[] {
  const agents = stages.flatMap(({ agents: members, synthesis }) => [
    ...members.flatMap(withSubAgents),
    ...(synthesis === undefined ? [] : [synthesis]),
  ]);
  return [
    ...agents.flatMap(providersOfAgent),
    ...(executive_summary === undefined ? [] : providersOfAgent(executive_summary)),
    ...Object.values(mcp_server_summaries).flatMap(({ llm_provider }) => llm_provider ?? []),
  ];
}

function providersOfAgent({
  llm_provider,
  fallback_providers = [],
}: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">): ResolvedProvider[] {
  return [llm_provider, ...fallback_providers];
}
