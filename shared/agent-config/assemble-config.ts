import type {
  AgentConfig,
  DefaultSettings,
  LlmProvider,
  QueueSettings,
} from "#shared/agent-config/agent-config.ts";
import { BUILT_IN_RUNBOOK } from "#shared/agent-config/built-in/runbook.ts";
import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in/settings.ts";
import { collectOrigins } from "#shared/agent-config/collect-origins.ts";
import type { Environment } from "#shared/agent-config/config-environment.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { mergeEntries, type BuiltIns } from "#shared/agent-config/merge-config.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { LlmProviderEntry, LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { DefaultsSection, QueueSection, TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { SourceMap } from "#shared/agent-config/source-map.ts";

/** Everything the files said, checked. */
export interface ConfigParts {
  readonly configDir: string;
  readonly env: Environment;
  readonly tarsy: TarsyFile;
  readonly providers: LlmProvidersFile;
  readonly builtIns: BuiltIns;
  readonly sources: SourceMap;
  readonly alertTypes: ReadonlyMap<string, string>;
  /** Built-in chains that cannot run. */
  readonly leaveOut: readonly string[];
  readonly warnings: readonly ConfigProblem[];
}

/** Puts the effective configuration together from valid files and the built-ins. */
export function assembleConfig(parts: ConfigParts): AgentConfig {
  const { tarsy, builtIns, env } = parts;
  const agents = mergeEntries(builtIns.agents, tarsy.agents);
  const chains = mergeEntries(builtIns.chains, tarsy.agent_chains);
  for (const chainId of parts.leaveOut) chains.delete(chainId);
  const mcpServers = mergeEntries(builtIns.mcpServers, tarsy.mcp_servers);
  const providers = mergeEntries(builtIns.llmProviders, parts.providers.llm_providers);
  const llmProviders = new Map([...providers].map(([name, entry]) => [name, completeProvider(entry, env)]));
  return {
    configDir: parts.configDir,
    queue: queueSettings(tarsy.queue ?? {}),
    defaults: defaultSettings(tarsy.defaults ?? {}),
    agents,
    chains,
    mcpServers,
    llmProviders,
    alertTypes: parts.alertTypes,
    warnings: parts.warnings,
    counts: {
      agents: agents.size,
      chains: chains.size,
      mcpServers: mcpServers.size,
      llmProviders: llmProviders.size,
    },
    origins: new Map([...builtIns.origins, ...collectOrigins([tarsy, parts.providers], parts.sources)]),
  };
}

function queueSettings(queue: QueueSection): QueueSettings {
  const { worker_count, max_concurrent_sessions, max_parallel_agents, session_timeout } = {
    ...BUILT_IN_SETTINGS.queue,
    ...queue,
  };
  return {
    worker_count,
    max_concurrent_sessions,
    max_parallel_agents,
    session_timeout_ms: parseDuration(session_timeout) ?? 0,
  };
}

function defaultSettings(defaults: DefaultsSection): DefaultSettings {
  const builtIn = BUILT_IN_SETTINGS.defaults;
  const { llm_provider, iteration_strategy } = defaults;
  return {
    alert_type: defaults.alert_type ?? builtIn.alert_type,
    runbook: defaults.runbook ?? BUILT_IN_RUNBOOK,
    success_policy: defaults.success_policy ?? builtIn.success_policy,
    max_iterations: defaults.max_iterations ?? builtIn.max_iterations,
    iteration_timeout_ms: parseDuration(defaults.iteration_timeout ?? builtIn.iteration_timeout) ?? 0,
    ...(llm_provider === undefined ? {} : { llm_provider }),
    ...(iteration_strategy === undefined ? {} : { iteration_strategy }),
  };
}

/** Project and location are told to the gateway as values: they are no secrets. */
function completeProvider(entry: LlmProviderEntry, env: Environment): LlmProvider {
  const project = entry.project_env === undefined ? undefined : env[entry.project_env];
  const location = entry.location_env === undefined ? undefined : env[entry.location_env];
  return {
    ...entry,
    model: entry.model ?? BUILT_IN_SETTINGS.scripted.model,
    max_tool_result_tokens: entry.max_tool_result_tokens ?? BUILT_IN_SETTINGS.scripted.max_tool_result_tokens,
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
  };
}
