import {
  checkAgent,
  checkAlertTypes,
  checkChain,
  checkSummaryProvider,
} from "#shared/agent-config/checks/check-chains.ts";
import {
  checkBackends,
  checkCallTime,
  checkFallbacks,
  checkNativeFallbacks,
  checkJudges,
  checkScoring,
} from "#shared/agent-config/checks/check-agent-providers.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkCost, checkLlmProvider } from "#shared/agent-config/checks/check-llm-providers.ts";
import {
  checkAlertMasking,
  checkMcpServer,
  checkDefaultSummarization,
} from "#shared/agent-config/checks/check-mcp-servers.ts";
import {
  checkMemory,
  checkQueue,
  checkRunbooks,
  checkSystem,
  checkWebhooks,
} from "#shared/agent-config/checks/check-system.ts";
import { checkNotifications } from "#shared/agent-config/checks/check-notifications.ts";
import { checkUsedProviders } from "#shared/agent-config/checks/check-used-providers.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";

/**
 * Runs every check across entries and reports all problems. Returns the chain of each alert type, and the
 * built-in chains to leave out.
 */
export function checkConfig(context: CheckContext): { alertTypes: Map<string, string>; leaveOut: string[] } {
  const { tarsy, reporter, agents, chains, mcpServers, llmProviders, names } = context;
  if (tarsy.queue !== undefined) checkQueue(tarsy.queue, reporter);
  if (tarsy.system !== undefined) {
    checkSystem(tarsy.system, reporter);
    checkNotifications(tarsy.system, reporter);
  }
  checkRunbooks(context);
  if (tarsy.system?.cost_estimation !== undefined) checkCost(tarsy.system.cost_estimation, reporter);
  for (const agent of written(agents, reporter)) checkAgent(agent, context);
  for (const [id, server] of mcpServers) {
    if (reporter.sources.has(server)) checkMcpServer(id, server, context);
  }
  for (const provider of written(llmProviders, reporter)) checkLlmProvider(provider, reporter);
  for (const chain of written(chains, reporter)) checkChain(chain, context);
  // The needs of the chains are unknown without a readable tarsy.yaml.
  if (!reporter.sources.has(tarsy)) return { alertTypes: new Map(), leaveOut: [] };
  if (tarsy.defaults !== undefined) {
    const target = { container: tarsy.defaults, key: "llm_provider" };
    reporter.unknownName(target, "LLM provider", tarsy.defaults.llm_provider, names.llmProviders);
    checkSummaryProvider(tarsy.defaults, context);
    checkFallbacks(tarsy.defaults.fallback_providers, context);
    checkAlertMasking(tarsy.defaults.alert_masking, reporter);
    checkDefaultSummarization(tarsy.defaults.summarization, context);
    if (tarsy.defaults.memory !== undefined) checkMemory(tarsy.defaults.memory, context);
    if (tarsy.defaults.scoring !== undefined) checkScoring(tarsy.defaults.scoring, context);
  }
  checkCallTime(context);
  checkBackends(context);
  checkNativeFallbacks(context);
  checkJudges(context);
  const leaveOut = checkUsedProviders(context);
  const remaining = new Map([...chains].filter(([chainId]) => !leaveOut.includes(chainId)));
  const alertTypes = checkAlertTypes({ ...context, chains: remaining });
  if (tarsy.system?.webhooks !== undefined) {
    checkWebhooks(tarsy.system.webhooks, alertTypes.keys(), reporter);
  }
  return { alertTypes, leaveOut };
}

/** The entries that came from a file. */
function written<Entry extends object>(entries: ReadonlyMap<string, Entry>, reporter: Reporter): Entry[] {
  return [...entries.values()].filter((entry) => reporter.sources.has(entry));
}
