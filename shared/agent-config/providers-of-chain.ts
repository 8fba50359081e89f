import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { resolveFound, resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import {
  type ResolvedAgent,
  type ResolvedProvider,
  withSubAgents,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import { summariesOf } from "#shared/agent-config/summaries-of.ts";

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

/** A chain can be without one: then its sessions cannot be scored. */
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

/** Every provider that the sessions of a resolved chain can call, but for its judge; one may be there several times. */
export function providersOfResolved({
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

/** An agent's own provider and those that can take over. */
export function providersOfAgent({
  llm_provider,
  fallback_providers = [],
}: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">): ResolvedProvider[] {
  return [llm_provider, ...fallback_providers];
}

/**
 * The names of the providers of every agent, synthesis and summary of every chain: its own, then those that can take over; then those
 * named for summaries of tool results, each alone.
 */
export function providerLists(config: AgentConfig): readonly (readonly string[])[] {
  const alertTypes = [...config.chains.values()].flatMap(({ alert_types: [first] }) => first ?? []);
  const chains = alertTypes.map((alertType) => resolveChain(config, alertType));
  const callers = chains.flatMap(({ stages, executive_summary: summary }) => [
    ...stages.flatMap(({ agents, synthesis }) => [
      ...agents,
      ...(synthesis === undefined ? [] : [synthesis]),
    ]),
    ...(summary === undefined ? [] : [summary]),
  ]);
  const ofAgents = callers.map(({ llm_provider, fallback_providers = [] }) =>
    [llm_provider, ...fallback_providers].map(({ name }) => name),
  );
  const summarizers = [...config.mcpServers.keys()].flatMap(
    (id) => summariesOf(config, id)?.llm_provider?.name ?? [],
  );
  return [...ofAgents, ...[...new Set(summarizers)].map((name) => [name])];
}
