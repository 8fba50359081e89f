import { checkCallTime } from "#shared/agent-config/checks/check-call-time.ts";
import { checkAlertTypes, checkChain, checkServers } from "#shared/agent-config/checks/check-chains.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkFallbacks } from "#shared/agent-config/checks/check-fallbacks.ts";
import { checkLlmProvider } from "#shared/agent-config/checks/check-llm-providers.ts";
import { checkMcpServer } from "#shared/agent-config/checks/check-mcp-servers.ts";
import { checkQueue } from "#shared/agent-config/checks/check-queue.ts";
import { checkUsedProviders } from "#shared/agent-config/checks/check-used-providers.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";

/**
 * Runs every check across entries and reports all problems. Returns the chain of each alert type, and the
 * built-in chains to leave out.
 */
export function checkConfig(context: CheckContext): { alertTypes: Map<string, string>; leaveOut: string[] } {
  const { tarsy, reporter, agents, chains, mcpServers, llmProviders, names } = context;
  if (tarsy.queue !== undefined) checkQueue(tarsy.queue, reporter);
  for (const agent of written(agents, reporter)) checkServers(agent.mcp_servers, context);
  for (const [id, server] of mcpServers) {
    if (reporter.sources.has(server)) checkMcpServer(id, server, context);
  }
  for (const provider of written(llmProviders, reporter)) checkLlmProvider(provider, reporter);
  for (const chain of written(chains, reporter)) checkChain(chain, context);
  // Without a readable tarsy.yaml it is unknown what the chains need.
  if (!reporter.sources.has(tarsy)) return { alertTypes: new Map(), leaveOut: [] };
  if (tarsy.defaults !== undefined) {
    const target = { container: tarsy.defaults, key: "llm_provider" };
    reporter.unknownName(target, "LLM provider", tarsy.defaults.llm_provider, names.llmProviders);
    checkFallbacks(tarsy.defaults.fallback_providers, context);
  }
  checkCallTime(context);
  const leaveOut = checkUsedProviders(context);
  const remaining = new Map([...chains].filter(([chainId]) => !leaveOut.includes(chainId)));
  return { alertTypes: checkAlertTypes({ ...context, chains: remaining }), leaveOut };
}

/** The entries that came from a file. */
function written<Entry extends object>(entries: ReadonlyMap<string, Entry>, reporter: Reporter): Entry[] {
  return [...entries.values()].filter((entry) => reporter.sources.has(entry));
}
