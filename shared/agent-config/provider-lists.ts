import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";

/** The names of the providers of every agent and synthesis of every chain: its own, then those that can take over. */
export function providerLists(config: AgentConfig): readonly (readonly string[])[] {
  const alertTypes = [...config.chains.values()].flatMap(({ alert_types: [first] }) => first ?? []);
  return alertTypes
    .flatMap((alertType) => resolveChain(config, alertType).stages)
    .flatMap(({ agents, synthesis }) => (synthesis === undefined ? agents : [...agents, synthesis]))
    .map(({ llm_provider, fallback_providers = [] }) =>
      [llm_provider, ...fallback_providers].map(({ name }) => name),
    );
}
