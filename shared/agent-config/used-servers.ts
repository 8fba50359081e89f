import { isDeepStrictEqual } from "node:util";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
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

/** The ids of the MCP servers whose tools the agent gets: none for a strategy that calls no tools, even if its definition names some. */
export function serversOf({ iteration_strategy, mcp_servers }: ResolvedAgent): readonly string[] {
  return TOOL_STRATEGIES.some((strategy) => strategy === iteration_strategy) ? mcp_servers : [];
}

/** The ids of the MCP servers whose tools an agent of any chain gets. */
export function usedServers(agents: AgentConfig): ReadonlySet<string> {
  return serversFor(agents, knownAlertTypes(agents));
}

/** The same without the built-in chain, unless the configuration replaces it or alerts without a type go to it. */
export function chosenServers(agents: AgentConfig): ReadonlySet<string> {
  const { chains } = builtInConfig();
  const byDefault = agents.alertTypes.get(agents.defaults.alert_type) ?? "";
  const isChosen = (id = "") => id === byDefault || !isDeepStrictEqual(agents.chains.get(id), chains.get(id));
  return serversFor(
    agents,
    knownAlertTypes(agents).filter((alertType) => isChosen(agents.alertTypes.get(alertType))),
  );
}

function serversFor(agents: AgentConfig, alertTypes: readonly string[]): ReadonlySet<string> {
  return new Set(alertTypes.flatMap((alertType) => agentsFor(agents, alertType)).flatMap(serversOf));
}

/** An agent whose model is a real one, and the servers of it whose tools are stubs: it reads invented results as true. */
interface StubbedAgent {
  readonly agent: string;
  readonly provider: string;
  readonly servers: readonly string[];
}

/** Those of `agents` that let a real model call tools of the servers in `stubs`. */
export function stubbedAgents(
  agents: readonly ResolvedAgent[],
  stubs: ReadonlySet<string>,
): readonly StubbedAgent[] {
  return agents.flatMap((agent) => {
    const { name, llm_provider: own, fallback_providers: others = [] } = agent;
    const real = [own, ...others].find(({ type }) => type !== "scripted");
    const servers = serversOf(agent).filter((server) => stubs.has(server));
    return real === undefined || servers.length === 0 ? [] : [{ agent: name, provider: real.name, servers }];
  });
}
