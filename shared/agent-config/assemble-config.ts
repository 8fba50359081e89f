import { DEFAULT_APPROVAL_TIMEOUT_MS } from "#shared/contracts/resolved-chain.ts";
import type {
  AgentConfig,
  DefaultSettings,
  Origin,
  QueueSettings,
  LlmProvider,
} from "#shared/agent-config/agent-config.ts";
import {
  BUILT_IN_RUNBOOK,
  BUILT_IN_SETTINGS,
  type BuiltInConfig,
  builtInTimeouts,
} from "#shared/agent-config/built-in-config.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { completeServer } from "#shared/agent-config/complete-server.ts";
import { embeddingOf } from "#shared/agent-config/embedding-of.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { LlmProvidersFile, LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { DefaultsSection, QueueSection, TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { Skill } from "#shared/agent-config/skills/skill.ts";
import { acceptedDefinitions, type ConfiguredPacks } from "#shared/agent-config/read-packs.ts";
import type { SourceMap } from "#shared/agent-config/source-map.ts";
import type { Environment } from "#shared/service/environment.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";

interface ConfigParts {
  readonly configDir: string;
  readonly env: Environment;
  readonly tarsy: TarsyFile;
  readonly providers: LlmProvidersFile;
  readonly builtIn: BuiltInConfig;
  readonly packs: ConfiguredPacks;
  readonly sources: SourceMap;
  readonly skills: ReadonlyMap<string, Skill>;
  readonly alertTypes: ReadonlyMap<string, string>;
  /** Built-in chains that cannot run. */
  readonly leaveOut: readonly string[];
  readonly warnings: readonly ConfigProblem[];
  /** The default provider of a file that names none; undefined if no key is set. */
  readonly providerByKey: string | undefined;
}

/** Assembles the effective configuration from valid files and the built-ins. */
export function assembleConfig(parts: ConfigParts): AgentConfig {
  const { tarsy, builtIn, env } = parts;
  const timeouts = builtInTimeouts(tarsy);
  const holidays = tarsy.system?.holidays ?? [];
  const agents = mergeEntries(builtIn.agents, tarsy.agents);
  const chains = mergeEntries(builtIn.chains, tarsy.agent_chains);
  for (const chainId of parts.leaveOut) chains.delete(chainId);
  const { packs, accepted } = parts.packs;
  const servers = [...mergeEntries(builtIn.mcpServers, tarsy.mcp_servers)];
  const mcpServers = new Map(servers.map(([id, server]) => [id, completeServer(server, packs, env)]));
  const packDefinitions = new Map(
    servers.flatMap(([id, server]) => {
      const pack = packs.get(server.pack ?? "");
      return pack === undefined ? [] : [[id, acceptedDefinitions(pack, accepted[id])] as const];
    }),
  );
  const providers = mergeEntries(builtIn.llmProviders, parts.providers.llm_providers);
  const llmProviders = new Map([...providers].map(([name, entry]) => [name, completeProvider(entry, env)]));
  return {
    configDir: parts.configDir,
    queue: queueSettings({ session_timeout: timeouts.session_timeout, ...tarsy.queue }),
    system: {
      ...tarsy.system,
      cost_estimation: { ...BUILT_IN_SETTINGS.cost_estimation, ...tarsy.system?.cost_estimation },
      holidays: holidays.length > 0 ? holidays : BUILT_IN_SETTINGS.holidays,
    },
    defaults: defaultSettings({
      iteration_timeout: timeouts.iteration_timeout,
      ...(parts.providerByKey === undefined ? {} : { llm_provider: parts.providerByKey }),
      ...tarsy.defaults,
    }),
    agents,
    chains,
    mcpServers,
    packDefinitions,
    llmProviders,
    skills: parts.skills,
    alertTypes: parts.alertTypes,
    warnings: parts.warnings,
    counts: {
      agents: agents.size,
      chains: chains.size,
      mcpServers: mcpServers.size,
      llmProviders: llmProviders.size,
    },
    origins: new Map([
      ...builtIn.origins,
      ...originsOf(timeouts),
      // Its variable is not named: what it holds is inserted nowhere.
      ["defaults.llm_provider", { file: "the first provider with a key", variables: [] }],
      ...collectOrigins([tarsy, parts.providers], parts.sources),
    ]),
  };
}

/** The origin of built-in times that are not the usual ones. */
function originsOf({ origin }: ReturnType<typeof builtInTimeouts>): [string, Origin][] {
  if (origin === undefined) return [];
  const paths = ["queue.session_timeout", "defaults.iteration_timeout"];
  return paths.map((path) => [path, { file: origin, variables: [] }]);
}

/** Built-in and written entries by name; a written one replaces the built-in of the same name whole. */
export function mergeEntries<Entry, Written>(
  builtIn: ReadonlyMap<string, Entry>,
  written: Readonly<Record<string, Written | undefined>> = {},
): Map<string, Entry | Written> {
  const merged = new Map<string, Entry | Written>(builtIn);
  for (const [name, entry] of Object.entries(written)) {
    if (entry !== undefined) merged.set(name, entry);
  }
  return merged;
}

function queueSettings(queue: QueueSection): QueueSettings {
  const builtIn = BUILT_IN_SETTINGS.queue;
  const settings = { ...builtIn, ...queue };
  const { worker_count, max_concurrent_sessions, max_concurrent_followups, max_parallel_agents } = settings;
  const duration = (key: Exclude<keyof typeof builtIn, `max_${string}` | "worker_count">) =>
    parseDuration(settings[key]) ?? 0;
  return {
    worker_count,
    max_concurrent_sessions,
    max_concurrent_followups,
    max_parallel_agents,
    session_timeout_ms: duration("session_timeout"),
    poll_interval_ms: duration("poll_interval"),
    poll_interval_jitter_ms: duration("poll_interval_jitter"),
    graceful_shutdown_timeout_ms: duration("graceful_shutdown_timeout"),
    scoring_shutdown_timeout_ms: duration("scoring_shutdown_timeout"),
    orphan_detection_interval_ms: duration("orphan_detection_interval"),
    orphan_threshold_ms: duration("orphan_threshold"),
    heartbeat_interval_ms: duration("heartbeat_interval"),
  };
}

function defaultSettings(defaults: DefaultsSection): DefaultSettings {
  const builtIn = BUILT_IN_SETTINGS.defaults;
  const { llm_provider, llm_backend, executive_summary_provider, fallback_providers } = defaults;
  const { iteration_strategy, summarization, tool_policy } = defaults;
  return {
    alert_type: defaults.alert_type ?? builtIn.alert_type,
    runbook: defaults.runbook ?? BUILT_IN_RUNBOOK,
    success_policy: defaults.success_policy ?? builtIn.success_policy,
    max_iterations: defaults.max_iterations ?? builtIn.max_iterations,
    alert_masking: {
      enabled: defaults.alert_masking?.enabled ?? builtIn.alert_masking.enabled,
      pattern_group: defaults.alert_masking?.pattern_group ?? builtIn.alert_masking.pattern_group,
    },
    memory: memorySettings(defaults.memory),
    iteration_timeout_ms: parseDuration(defaults.iteration_timeout ?? builtIn.iteration_timeout) ?? 0,
    approval_timeout_ms: parseDuration(defaults.approval_timeout ?? "") ?? DEFAULT_APPROVAL_TIMEOUT_MS,
    ...(tool_policy === undefined ? {} : { tool_policy }),
    ...(llm_provider === undefined ? {} : { llm_provider }),
    ...(llm_backend === undefined ? {} : { llm_backend }),
    ...(executive_summary_provider === undefined ? {} : { executive_summary_provider }),
    ...(fallback_providers === undefined ? {} : { fallback_providers }),
    ...(iteration_strategy === undefined ? {} : { iteration_strategy }),
    ...(summarization === undefined ? {} : { summarization }),
    ...optionalSections(defaults),
  };
}

function optionalSections({
  scoring,
  orchestrator,
  budgets,
  conclusion,
}: DefaultsSection): Pick<DefaultSettings, "scoring" | "orchestrator" | "budgets" | "conclusion"> {
  return {
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(scoring === undefined ? {} : { scoring }),
    ...(orchestrator === undefined ? {} : { orchestrator }),
    ...(budgets === undefined ? {} : { budgets }),
  };
}

function memorySettings({
  enabled = false,
  max_inject = 5,
  reflector_memory_limit = 20,
  embedding,
}: DefaultsSection["memory"] = {}): DefaultSettings["memory"] {
  return {
    enabled,
    max_inject,
    reflector_memory_limit,
    ...(embedding === undefined ? {} : { embedding: embeddingOf(embedding) }),
  };
}

/** The origin of every value of the files, by path; a list of scalars also has one as a whole. */
function collectOrigins(files: readonly object[], sources: SourceMap): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  const visit = (container: object, key: string | number, value: unknown) => {
    const written = sources.find(container, key);
    if (written === undefined) return;
    const { path, file, line, variables } = written;
    if (typeof value !== "object" || value === null) {
      origins.set(path, { file, line, variables });
      return;
    }
    if (!Array.isArray(value)) {
      for (const [innerKey, inner] of Object.entries(value)) visit(value, innerKey, inner);
      return;
    }
    const inserted = value.flatMap((_item, index) => sources.find(value, index)?.variables ?? []);
    origins.set(path, { file, line, variables: inserted });
    value.forEach((inner: unknown, index) => visit(value, index, inner));
  };
  for (const file of files) for (const [key, value] of Object.entries(file)) visit(file, key, value);
  return origins;
}

/** An entry with its defaults, and with project and location as values: they are not secret. */
export function completeProvider(entry: LlmProviderEntry, env: Environment): LlmProvider {
  const project = entry.project_env === undefined ? undefined : env[entry.project_env];
  const location = entry.location_env === undefined ? undefined : env[entry.location_env];
  const keyName = keyVariable(entry);
  const { scripted, max_tool_result_tokens } = BUILT_IN_SETTINGS;
  const limit = entry.type === "scripted" ? scripted.max_tool_result_tokens : max_tool_result_tokens;
  return {
    ...entry,
    ...(keyName === undefined ? {} : { api_key_env: keyName }),
    model: entry.model ?? scripted.model,
    max_tool_result_tokens: entry.max_tool_result_tokens ?? limit,
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
  };
}
