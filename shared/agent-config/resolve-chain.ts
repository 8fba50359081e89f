import { describeAgent } from "#shared/agent-config/built-in-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import { resolveScoring, scoresByItself } from "#shared/agent-config/resolve-scoring.ts";
import { summariesOf } from "#shared/agent-config/summaries-of.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import { concludes, quotedBy, withQuotedStages } from "#shared/agent-config/resolve-conclusions.ts";
import {
  DEFAULT_APPROVAL_TIMEOUT_MS,
  RESOLVED_CHAIN_VERSION,
  TOOL_STRATEGIES,
  withSubAgents,
  withVariables,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
  type ResolvedStage,
} from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import { storedSkills } from "#shared/agent-config/skills/resolve-skills.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import {
  resolveAgentSettings,
  synthesisBlock,
  type AgentSettings,
  type ExecutionBlock,
} from "#shared/agent-config/resolve-agent-settings.ts";
import { orchestratorOf, subAgentsOf } from "#shared/agent-config/sub-agents-of.ts";
import {
  replicasOf,
  type ChainEntry,
  type StageEntry,
  type McpServerEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";

/**
 * Resolves everything that an investigation of this alert type (by default the default alert type) runs by.
 * `selectsServers` says that the alert selects servers: then agents without a strategy call tools.
 * Pure: equal arguments give equal results. Throws TerminalError `unknown_alert_type` if no chain handles it.
 */
export function resolveChain(
  config: AgentConfig,
  alertType: string | undefined,
  selectsServers = false,
): ResolvedChain {
  const found = findChain(config, alertType);
  if (found === undefined) {
    const known = knownAlertTypes(config).join(", ");
    throw new TerminalError(
      "unknown_alert_type",
      `no chain handles alert type ${JSON.stringify(alertType ?? config.defaults.alert_type)}; use one of ${known}`,
    );
  }
  return resolveFound(config, found, selectsServers);
}

/** The same for this chain. Throws TerminalError `invalid_configuration`, which checked files never cause. */
export function resolveFound(
  config: AgentConfig,
  found: NonNullable<ReturnType<typeof findChain>>,
  selectsServers: boolean,
): ResolvedChain {
  const { chain } = found;
  const stages = withQuotedStages(
    chain.stages.map((stage) => resolveStage(config, chain, stage, selectsServers)),
  );
  const summary = executiveSummary(config, chain);
  return withVariables({
    version: RESOLVED_CHAIN_VERSION,
    chain_id: found.chainId,
    alert_type: found.alertType,
    session_timeout_ms: config.queue.session_timeout_ms,
    max_parallel_agents: config.queue.max_parallel_agents,
    mcp_server_instructions: serverInstructions(config, stages),
    ...largeResults(config, stages),
    ...summary,
    ...((chain.tool_policy ?? config.defaults.tool_policy) === "strict"
      ? { tool_policy: "strict" as const }
      : {}),
    ...(config.defaults.approval_timeout_ms === DEFAULT_APPROVAL_TIMEOUT_MS
      ? {}
      : { approval_timeout_ms: config.defaults.approval_timeout_ms }),
    ...automaticScoring(config, chain),
    ...resolveBudgets(config, chain),
    ...(config.system.runbooks === undefined ? {} : { fetches_runbook: true as const }),
    ...(config.defaults.memory.enabled ? { memory: resolveMemory(config) } : {}),
    default_runbook: chain.runbook ?? config.defaults.runbook,
    stages,
  });
}

function resolveStage(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  selectsServers: boolean,
): ResolvedStage {
  const { min, max: replicas } = replicasOf(stage);
  const agents = stage.agents.flatMap((entry) => {
    const block = { ...entry, level: "stage agent" } as const;
    const agent = withSubAgentsOf(config, { chain, stage, block, selectsServers });
    if (replicas === 1) return [agent];
    return Array.from({ length: replicas }, (_, before) => ({ ...agent, replica: before + 1 }));
  });
  const isParallel = agents.length > 1;
  return {
    name: stage.name,
    parallel_type: isParallel ? (stage.agents.length > 1 ? "multi_agent" : "replica") : null,
    success_policy: stage.success_policy ?? config.defaults.success_policy,
    ...(min < replicas ? { replicas: { min, stop: "agreement" as const } } : {}),
    agents,
    ...(isParallel ? { synthesis: resolveAgent(config, chain, stage, synthesisBlock(stage)) } : {}),
  };
}

/** An agent of a stage with those that it may start; a strategy without tools starts none. */
function withSubAgentsOf(
  config: AgentConfig,
  {
    chain,
    stage,
    block,
    selectsServers,
  }: {
    readonly chain: ChainEntry;
    readonly stage: StageEntry;
    readonly block: ExecutionBlock;
    readonly selectsServers: boolean;
  },
): ResolvedAgent {
  const agent = resolveAgent(config, chain, stage, block, selectsServers);
  const entries = subAgentsOf(chain, stage, block);
  const callsTools = TOOL_STRATEGIES.some((strategy) => strategy === agent.iteration_strategy);
  if (entries.length === 0 || !callsTools) return agent;
  return {
    ...agent,
    sub_agents: entries.map((entry) => {
      const own = { ...entry, level: "sub-agent" } as const;
      const child = resolveAgent(config, chain, stage, own, selectsServers);
      const { conclusion: _parents, ...rest } = child;
      return {
        ...rest,
        ...quotedBy(agent),
        description: describeAgent(entry.name, config.agents.get(entry.name)),
      };
    }),
    orchestrator: orchestratorOf(config, config.agents.get(block.name) ?? {}),
  };
}

function resolveAgent(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  block: ExecutionBlock,
  selectsServers?: boolean,
): ResolvedAgent {
  const settings = resolveAgentSettings(config, chain, stage, block, selectsServers);
  // An iteration that is long for one provider's calls is not for those of another.
  const otherCallsMs =
    settings.iteration_timeout_ms.from === "provider" ? config.defaults.iteration_timeout_ms : undefined;
  const fallbacks = settings.fallback_providers.value.map(({ provider, backend }) =>
    withNativeTools(resolveProvider(config, provider, { backend, callMs: otherCallsMs }), settings),
  );
  const own = resolveProvider(config, settings.llm_provider.value, {
    backend: settings.llm_backend.value,
    callMs: otherCallsMs,
  });
  return {
    name: settings.name,
    ...(settings.isAction ? { type: "action" as const } : {}),
    iteration_strategy: settings.iteration_strategy.value,
    max_iterations: settings.max_iterations.value,
    iteration_timeout_ms: settings.iteration_timeout_ms.value,
    mcp_servers: [...new Set(settings.mcp_servers.value)],
    custom_instructions: settings.custom_instructions,
    ...(concludes(config, chain, stage, settings) ? { conclusion: CONCLUSION_CONTRACT } : {}),
    ...storedSkills(settings.skills, settings.iteration_strategy.value),
    llm_provider: withNativeTools(own, settings),
    ...(fallbacks.length === 0 ? {} : { fallback_providers: fallbacks }),
  };
}

/** The provider of the summary, if the chain or the defaults name one, and those that can take over. */
function executiveSummary(config: AgentConfig, chain: ChainEntry): Pick<ResolvedChain, "executive_summary"> {
  const { defaults } = config;
  const name = chain.executive_summary_provider ?? defaults.executive_summary_provider;
  if (name === undefined) return {};
  const callMs = defaults.iteration_timeout_ms;
  const others = (chain.fallback_providers ?? defaults.fallback_providers ?? []).map(
    ({ provider, backend }) => resolveProvider(config, provider, { backend, callMs }),
  );
  return {
    executive_summary: {
      llm_provider: resolveProvider(config, name, { callMs }),
      ...(others.length === 0 ? {} : { fallback_providers: others }),
    },
  };
}

/** The judge of a chain whose sessions are scored when they have completed. */
function automaticScoring(config: AgentConfig, chain: ChainEntry): Pick<ResolvedChain, "scoring"> {
  if (!scoresByItself(config, chain)) return {};
  return { scoring: { enabled: true, agent: resolveScoring(config, chain) } };
}

/** The agent's switches go before the provider's; only Gemini has native tools. */
function withNativeTools(
  provider: ResolvedProvider,
  { native_tools }: Pick<AgentSettings, "native_tools">,
): ResolvedProvider {
  if (provider.type !== "google") return provider;
  return { ...provider, native_tools: { ...provider.native_tools, ...native_tools } };
}

/** The settings of the used servers for large results; empty where there are none. */
function largeResults(
  config: AgentConfig,
  stages: readonly ResolvedStage[],
): Pick<ResolvedChain, "mcp_server_result_tokens" | "mcp_server_summaries"> {
  const used = usedServers(stages);
  const sizes = used.flatMap((id) => {
    const tokens = resultTokensOf(config.mcpServers.get(id));
    return tokens === undefined ? [] : [[id, tokens] as const];
  });
  const summaries = used.flatMap((id) => {
    const ofServer = summariesOf(config, id);
    return ofServer === undefined ? [] : [[id, ofServer] as const];
  });
  return {
    ...(sizes.length === 0 ? {} : { mcp_server_result_tokens: Object.fromEntries(sizes) }),
    ...(summaries.length === 0 ? {} : { mcp_server_summaries: Object.fromEntries(summaries) }),
  };
}

function serverInstructions(config: AgentConfig, stages: readonly ResolvedStage[]): Record<string, string> {
  const instructions: [string, string][] = [];
  for (const id of usedServers(stages)) {
    const text = config.mcpServers.get(id)?.instructions ?? "";
    if (text !== "") instructions.push([id, text]);
  }
  return Object.fromEntries(instructions);
}

/** The ids of the servers of all agents, sorted. */
function usedServers(stages: readonly ResolvedStage[]): string[] {
  const agents = stages
    .flatMap((stage) => [...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])])
    .flatMap(withSubAgents);
  return [...new Set(agents.flatMap((agent) => agent.mcp_servers))].sort();
}

/** The budgets that the sessions of a chain are stored with; those of its own go before those of the defaults, as a whole. */
function resolveBudgets(
  { defaults }: Pick<AgentConfig, "defaults">,
  chain: Pick<ChainEntry, "budgets">,
): Pick<ResolvedChain, "budgets"> {
  const session = chain.budgets?.session ?? defaults.budgets?.session;
  const day = chain.budgets?.day;
  if (session === undefined && day === undefined) return {};
  return {
    budgets: { ...(session === undefined ? {} : { session }), ...(day === undefined ? {} : { day }) },
  };
}

/** The part of `defaults.memory` that a session stores where that is enabled: of the embedding only what names its vectors. */
export function resolveMemory({
  defaults: { memory },
}: Pick<AgentConfig, "defaults">): NonNullable<ResolvedChain["memory"]> {
  const { max_inject, reflector_memory_limit, embedding } = memory;
  if (embedding === undefined) return { max_inject, reflector_memory_limit };
  const { provider, model, dimensions } = embedding;
  return { max_inject, reflector_memory_limit, embedding: { provider, model, dimensions } };
}

/** The longest result of a server, in tokens, that goes into a conversation whole; undefined if its entry does not say. */
export function resultTokensOf(server: McpServerEntry | undefined): number | undefined {
  const tokens = server?.summarization?.size_threshold_tokens;
  return tokens === undefined || tokens < 1 ? undefined : tokens;
}
