import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { stubbedAgents } from "#shared/agent-config/stubbed-agents.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import { agentsFor, usedServers } from "#shared/agent-config/used-servers.ts";

/** Warns about stubs that no agent calls, and about those that a real model calls. */
export function checkStubbedServers(
  servers: Readonly<Record<string, unknown>>,
  config: AgentConfig,
  reporter: Reporter,
): void {
  const used = usedServers(config);
  const everyAgent = knownAlertTypes(config).flatMap((alertType) => agentsFor(config, alertType));
  for (const server of Object.keys(servers)) {
    const target = { container: servers, key: server };
    if (!config.mcpServers.has(server)) {
      const hint = suggestName(server, [...config.mcpServers.keys()]);
      reporter.warn(target, "is not a server of mcp_servers, so no agent can call its tools", hint);
    } else if (!used.has(server)) {
      reporter.warn(target, "is a server that no agent has, so only alerts that select it call its tools");
    }
    const [first] = stubbedAgents(everyAgent, new Set([server]));
    if (first === undefined) continue;
    reporter.warn(
      target,
      `answers a real model (provider ${first.provider} of agent ${first.agent}) with invented results`,
      "remove it for real investigations",
    );
  }
}
