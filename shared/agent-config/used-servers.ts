import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { TOOL_STRATEGIES, withSubAgents, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** The agents that an alert of this type is investigated by, those of syntheses and sub-agents included. */
export function agentsFor(agents: AgentConfig, alertType: string): readonly ResolvedAgent[] {
  return resolveChain(agents, alertType)
    .stages.flatMap((stage) =>
      stage.synthesis === undefined ? stage.agents : [...stage.agents, stage.synthesis],
    )
    .flatMap(withSubAgents);
}

/** The ids of the MCP servers whose tools the agent gets: none for a strategy that calls no tools, whatever its definition names. */
export function serversOf({ iteration_strategy, mcp_servers }: ResolvedAgent): readonly string[] {
  return TOOL_STRATEGIES.some((strategy) => strategy === iteration_strategy) ? mcp_servers : [];
}

/** The ids of the MCP servers whose tools an agent of any chain gets. */
export function usedServers(agents: AgentConfig): ReadonlySet<string> {
  const all = knownAlertTypes(agents).flatMap((alertType) => agentsFor(agents, alertType));
  return new Set(all.flatMap(serversOf));
}
