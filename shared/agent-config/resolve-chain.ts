import {
  chainVersion,
  withVariables,
  type IterationStrategy,
  type LlmBackend,
  type ProviderType,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
  type ResolvedStage,
} from "#shared/contracts/resolved-chain.ts";
import { typeSettings } from "#shared/agent-config/provider-keys.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { providerTimeouts } from "#shared/agent-config/provider-timeouts.ts";
import {
  resolveAgentSettings,
  synthesisBlock,
  type ExecutionBlock,
} from "#shared/agent-config/resolve-agent-settings.ts";
import type { ChainEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/**
 * Resolves everything that an investigation of this alert type (by default the default alert type) runs by.
 * Pure: equal arguments give equal results. Throws TerminalError `unknown_alert_type` if no chain handles it.
 */
export function resolveChain(config: AgentConfig, alertType: string | undefined): ResolvedChain {
  const found = findChain(config, alertType);
  if (found === undefined) {
    const known = knownAlertTypes(config).join(", ");
    throw new TerminalError(
      "unknown_alert_type",
      `no chain handles alert type ${JSON.stringify(alertType ?? config.defaults.alert_type)}; use one of ${known}`,
    );
  }
  const { chain } = found;
  const stages = chain.stages.map((stage) => resolveStage(config, chain, stage));
  return withVariables({
    version: chainVersion(stages),
    chain_id: found.chainId,
    alert_type: found.alertType,
    session_timeout_ms: config.queue.session_timeout_ms,
    max_parallel_agents: config.queue.max_parallel_agents,
    mcp_server_instructions: serverInstructions(config, stages),
    default_runbook: config.defaults.runbook,
    stages,
  });
}

function resolveStage(config: AgentConfig, chain: ChainEntry, stage: StageEntry): ResolvedStage {
  const replicas = Math.max(1, stage.replicas ?? 1);
  const agents = stage.agents.flatMap((entry) => {
    const agent = resolveAgent(config, chain, stage, { ...entry, level: "stage agent" });
    return Array.from({ length: replicas }, () => agent);
  });
  const isParallel = agents.length > 1;
  return {
    name: stage.name,
    parallel_type: isParallel ? (stage.agents.length > 1 ? "multi_agent" : "replica") : null,
    success_policy: stage.success_policy ?? config.defaults.success_policy,
    agents,
    ...(isParallel ? { synthesis: resolveAgent(config, chain, stage, synthesisBlock(stage)) } : {}),
  };
}

function resolveAgent(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  block: ExecutionBlock,
): ResolvedAgent {
  const settings = resolveAgentSettings(config, chain, stage, block);
  const strategy = settings.iteration_strategy.value;
  // An iteration that is long for one provider's calls is not for those of another.
  const otherCallsMs =
    settings.iteration_timeout_ms.from === "provider" ? config.defaults.iteration_timeout_ms : undefined;
  const resolve = (name: string) => resolveProvider(config, name, strategy, otherCallsMs);
  const fallbacks = settings.fallback_providers.value.map(({ provider, backend }): ResolvedProvider => {
    const resolved = resolve(provider);
    return backend === undefined ? resolved : { ...resolved, backend };
  });
  return {
    name: settings.name,
    iteration_strategy: strategy,
    max_iterations: settings.max_iterations.value,
    iteration_timeout_ms: settings.iteration_timeout_ms.value,
    mcp_servers: [...settings.mcp_servers.value],
    custom_instructions: settings.custom_instructions,
    llm_provider: resolve(settings.llm_provider.value),
    ...(fallbacks.length === 0 ? {} : { fallback_providers: fallbacks }),
  };
}

/** `callMs` is the longest call of a provider whose entry does not say. */
function resolveProvider(
  config: AgentConfig,
  name: string,
  strategy: IterationStrategy,
  callMs: number | undefined,
): ResolvedProvider {
  const provider = config.llmProviders.get(name);
  if (provider === undefined) {
    throw new TerminalError("invalid_configuration", `there is no LLM provider ${name}`);
  }
  const { type, model, max_tool_result_tokens, max_output_tokens, native_tools } = provider;
  const callTimeoutMs = providerTimeouts(provider)?.callMs ?? callMs;
  const { api_key_env, credentials_env, project, location, base_url, script } = provider;
  return {
    name,
    type,
    model,
    backend: chooseBackend(strategy, type),
    ...(api_key_env === undefined ? {} : { api_key_env }),
    ...(credentials_env === undefined ? {} : { credentials_env }),
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
    ...(base_url === undefined ? {} : { base_url: withoutCredentials(base_url) }),
    ...(script === undefined ? {} : { script }),
    ...typeSettings(provider),
    max_tool_result_tokens,
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    ...(callTimeoutMs === undefined ? {} : { call_timeout_ms: callTimeoutMs }),
    native_tools: { ...native_tools },
  };
}

/** The gateway has the whole address in its own file; user, password and query may be secret and are not stored. */
function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.username === "" && url.password === "" && url.search === "")) return address;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Chooses the gateway's client. The format asks for `langchain` with ReAct, synthesis and single calls, and for
 * the native client with the native strategies on Google. A Google provider's `langchain` may delegate to the
 * native client, which keeps its signatures, and does so here. The native strategies on other providers run on
 * `langchain` with bound tools.
 */
function chooseBackend(_strategy: IterationStrategy, type: ProviderType): LlmBackend {
  if (type === "scripted") return "scripted";
  return type === "google" ? "google-native" : "langchain";
}

function serverInstructions(config: AgentConfig, stages: readonly ResolvedStage[]): Record<string, string> {
  const agents = stages.flatMap((stage) => [...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])]);
  const used = new Set(agents.flatMap((agent) => agent.mcp_servers));
  const instructions: [string, string][] = [];
  for (const id of [...used].sort()) {
    const text = config.mcpServers.get(id)?.instructions ?? "";
    if (text !== "") instructions.push([id, text]);
  }
  return Object.fromEntries(instructions);
}
