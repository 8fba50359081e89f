import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { summariesOf } from "#shared/agent-config/summaries-of.ts";

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
