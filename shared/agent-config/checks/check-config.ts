import { checkAlertTypes } from "#shared/agent-config/checks/check-alert-types.ts";
import { checkChain, checkServers } from "#shared/agent-config/checks/check-chains.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkLlmProvider } from "#shared/agent-config/checks/check-llm-providers.ts";
import { checkMcpServer } from "#shared/agent-config/checks/check-mcp-servers.ts";
import { checkQueue } from "#shared/agent-config/checks/check-queue.ts";
import { checkReachable } from "#shared/agent-config/checks/check-reachable.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";

/**
 * Runs every check across entries over what was written; reports all there is and stops at nothing. Returns
 * the chain of each alert type, and the built-in chains to leave out.
 */
export function checkConfig(context: CheckContext): { alertTypes: Map<string, string>; leaveOut: string[] } {
  const { tarsy, reporter, agents, chains, mcpServers, llmProviders, names } = context;
  if (tarsy.queue !== undefined) checkQueue(tarsy.queue, reporter);
  for (const agent of written(agents, reporter)) checkServers(agent.mcp_servers, context);
  for (const server of written(mcpServers, reporter)) checkMcpServer(server, reporter);
  for (const provider of written(llmProviders, reporter)) checkLlmProvider(provider, reporter);
  for (const chain of written(chains, reporter)) checkChain(chain, context);
  // A tarsy.yaml that could not be read says nothing about what chains need.
  if (!reporter.sources.has(tarsy)) return { alertTypes: new Map(), leaveOut: [] };
  if (tarsy.defaults !== undefined) {
    const target = { container: tarsy.defaults, key: "llm_provider" };
    reporter.unknownName(target, "LLM provider", tarsy.defaults.llm_provider, names.llmProviders);
  }
  const leaveOut = checkReachable(context);
  const kept = new Map([...chains].filter(([chainId]) => !leaveOut.includes(chainId)));
  return { alertTypes: checkAlertTypes({ ...context, chains: kept }), leaveOut };
}

/** The entries that came from a file. */
function written<Entry extends object>(entries: ReadonlyMap<string, Entry>, reporter: Reporter): Entry[] {
  return [...entries.values()].filter((entry) => reporter.sources.has(entry));
}
