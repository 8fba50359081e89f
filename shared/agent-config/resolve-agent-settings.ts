import {
  CONFIGURED_STRATEGIES,
  type IterationStrategy,
  type LlmBackend,
} from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { SYNTHESIS_AGENT } from "#shared/agent-config/built-in-config.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { providerTimeouts } from "#shared/agent-config/provider-timeouts.ts";
import { missingNativeTools } from "#shared/agent-config/schemas/backend.ts";
import { resolveSkills, type AgentSkills } from "#shared/agent-config/skills/resolve-skills.ts";
import { subAgentsOf } from "#shared/agent-config/sub-agents-of.ts";
import type {
  AgentEntry,
  ChainEntry,
  ConclusionContract,
  FallbackEntry,
  StageAgentEntry,
  StageEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";

/** The level a setting was taken from. */
type Level =
  | "stage agent"
  | "sub-agent"
  | "synthesis"
  | "stage"
  | "chain"
  | "agent"
  | "defaults"
  | "provider"
  | "built-in";

/** A setting and the level that set it. */
export interface Setting<T> {
  readonly value: T;
  readonly from: Level;
}

/** Every setting of one agent of a stage, with its level. */
export interface AgentSettings {
  readonly name: string;
  /** True if it may use tools that change things. */
  readonly isAction: boolean;
  readonly iteration_strategy: Setting<IterationStrategy>;
  readonly llm_provider: Setting<string>;
  /** Undefined where no level names one: then the provider's type decides. */
  readonly llm_backend: Setting<LlmBackend | undefined>;
  /** Switches of the agent over those of its providers. */
  readonly native_tools: Readonly<Record<string, boolean>>;
  readonly fallback_providers: Setting<readonly FallbackEntry[]>;
  readonly max_iterations: Setting<number>;
  readonly iteration_timeout_ms: Setting<number>;
  readonly mcp_servers: Setting<readonly string[]>;
  /** Whether it states its conclusion as data. */
  readonly conclusion: Setting<ConclusionContract>;
  readonly custom_instructions: string;
  readonly skills: AgentSkills;
}

/** The nearest level to an execution: the stage's entry for the agent, that of a sub-agent, or the synthesis block. */
export interface ExecutionBlock extends Omit<StageAgentEntry, "name"> {
  readonly level: "stage agent" | "sub-agent" | "synthesis";
  readonly name: string;
}

/** The stage's synthesis settings as the nearest level to that execution. */
export function synthesisBlock({ synthesis }: StageEntry): ExecutionBlock {
  const { agent = SYNTHESIS_AGENT, ...settings } = synthesis ?? {};
  return { ...settings, name: agent, level: "synthesis" };
}

/**
 * Resolves an agent's settings: the first level that sets one wins. Lists replace each other; an empty list
 * of fallback providers counts as set, one of servers does not. A fallback provider without the agent's native tools is left out. The
 * custom instructions are always the agent's own.
 * `selectsServers` says that an alert selects servers for every agent: then one without a strategy calls tools.
 */
export function resolveAgentSettings(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  block: ExecutionBlock,
  selectsServers = false,
): AgentSettings {
  const { defaults } = config;
  const agent = config.agents.get(block.name);
  if (agent === undefined) {
    throw new TerminalError("invalid_configuration", `there is no agent ${block.name}`);
  }
  // The settings of a stage and a chain are for their agents, not for those that these start.
  const around: readonly Setter[] = [
    ["stage", stage],
    ["chain", chain],
  ];
  const levels: readonly Setter[] = [
    [block.level, block],
    ...(block.level === "sub-agent" ? [] : around),
    ["agent", agent],
  ];
  const providers: readonly Setter[] = [
    [block.level, block],
    ["chain", chain],
    ["defaults", defaults],
  ];
  const provider = first(providers, (level) => level.llm_provider);
  if (provider === undefined) {
    throw new TerminalError(
      "invalid_configuration",
      `agent ${block.name} of stage ${stage.name} has no LLM provider`,
    );
  }
  const native_tools = agent.native_tools ?? {};
  const nearest = resolveFallbacks(defaults, chain, stage, block);
  // An agent whose work is to search the web does not do it without the search.
  const runsTools = ({ provider: name }: FallbackEntry) =>
    missingNativeTools(config.llmProviders.get(name)?.type, native_tools).length === 0;
  const fallbacks = { ...nearest, value: nearest.value.filter(runsTools) };
  const providerNames = [provider.value, ...fallbacks.value.map((entry) => entry.provider)];
  const servers = first(levels, ({ mcp_servers }) =>
    mcp_servers === undefined || mcp_servers.length === 0 ? undefined : mcp_servers,
  ) ?? { value: [], from: "built-in" };
  // Skills that are merely there neither make a loop of a single call nor switch off Gemini's native tools.
  const namesSkills = [agent.skills, block.skills].some((list) => list !== undefined && list.length > 0);
  const hasNativeTools = Object.values({
    ...config.llmProviders.get(provider.value)?.native_tools,
    ...native_tools,
  }).includes(true);
  const skills = resolveSkills(config, agent, block);
  const startsOthers = subAgentsOf(chain, stage, block).length > 0;
  const keepsNativeTools =
    hasNativeTools && servers.value.length === 0 && !selectsServers && !namesSkills && !startsOthers;
  const hasTools =
    selectsServers ||
    startsOthers ||
    servers.value.length > 0 ||
    namesSkills ||
    Object.values(native_tools).includes(true);
  return {
    name: block.name,
    isAction: typeOf(block, agent) === "action",
    custom_instructions: agent.custom_instructions ?? "",
    llm_provider: provider,
    llm_backend: resolveBackend(levels, block, defaults),
    native_tools,
    fallback_providers: fallbacks,
    iteration_strategy: resolveStrategy(block, agent, {
      fromDefaults: defaults.iteration_strategy,
      hasTools,
    }),
    max_iterations: first(levels, (level) => level.max_iterations) ?? fallback(config, "max_iterations"),
    iteration_timeout_ms:
      first(levels, (level) => milliseconds(level.iteration_timeout)) ??
      defaultTimeout(config, providerNames),
    mcp_servers: servers,
    conclusion: resolveConclusion([...levels, ["defaults", defaults]]),
    skills: keepsNativeTools ? { ...skills, onDemand: [] } : skills,
  };
}

function resolveConclusion(levels: readonly Setter[]): AgentSettings["conclusion"] {
  return first(levels, ({ conclusion }) => conclusion) ?? { value: "none", from: "built-in" };
}

/** A stage's backend is for its agents, not for its synthesis. */
function resolveBackend(
  levels: readonly Setter[],
  block: ExecutionBlock,
  defaults: AgentConfig["defaults"],
): AgentSettings["llm_backend"] {
  const own = levels.filter(([from]) => from !== "stage" || block.level === "stage agent");
  const written = first([...own, ["defaults", defaults]], (level) => level.llm_backend);
  return written ?? { value: undefined, from: "provider" };
}

/** The nearest list replaces all others. A stage's list is for its agents, not for its synthesis. */
function resolveFallbacks(
  defaults: AgentConfig["defaults"],
  chain: ChainEntry,
  stage: StageEntry,
  block: ExecutionBlock,
): Setting<readonly FallbackEntry[]> {
  const levels: Setter[] = [
    ["chain", chain],
    ["defaults", defaults],
  ];
  if (block.level === "stage agent") levels.unshift([block.level, block], ["stage", stage]);
  return first(levels, (level) => level.fallback_providers) ?? { value: [], from: "built-in" };
}

interface LevelSettings {
  readonly llm_provider?: string;
  readonly llm_backend?: LlmBackend;
  readonly fallback_providers?: readonly FallbackEntry[];
  readonly max_iterations?: number;
  readonly iteration_timeout?: string;
  readonly mcp_servers?: readonly string[];
  readonly conclusion?: ConclusionContract;
}
type Setter = readonly [Level, LevelSettings];

function first<T>(
  levels: readonly Setter[],
  read: (level: LevelSettings) => T | undefined,
): Setting<T> | undefined {
  for (const [from, level] of levels) {
    const value = read(level);
    if (value !== undefined) return { value, from };
  }
  return undefined;
}

function fallback(config: AgentConfig, key: "max_iterations" | "iteration_timeout_ms"): Setting<number> {
  const path = `defaults.${key.replace("_ms", "")}`;
  // A built-in value may have an origin, too, but no line.
  const isWritten = config.origins.get(path)?.line !== undefined;
  return { value: config.defaults[key], from: isWritten ? "defaults" : "built-in" };
}

/** A time in the defaults, else the longest of the providers' for a call, else the built-in one. */
function defaultTimeout(config: AgentConfig, providerNames: readonly string[]): Setting<number> {
  const setting = fallback(config, "iteration_timeout_ms");
  if (setting.from === "defaults") return setting;
  const times = providerNames.map((name) => providerTimeouts(config.llmProviders.get(name) ?? {})?.callMs);
  if (times.every((callMs) => callMs === undefined)) return setting;
  return { value: Math.max(...times.map((callMs) => callMs ?? setting.value)), from: "provider" };
}

/**
 * A type says more about an agent than the defaults do. By default a synthesis agent synthesizes, an agent with tools
 * calls them, and any other agent answers once.
 */
function resolveStrategy(
  block: ExecutionBlock,
  agent: AgentEntry,
  { fromDefaults, hasTools }: { fromDefaults: IterationStrategy | undefined; hasTools: boolean },
): Setting<IterationStrategy> {
  if (block.iteration_strategy !== undefined) return { value: block.iteration_strategy, from: block.level };
  if (agent.iteration_strategy !== undefined) return { value: agent.iteration_strategy, from: "agent" };
  if (typeOf(block, agent) === "synthesis") {
    return { value: "synthesis", from: block.type === "synthesis" ? block.level : "agent" };
  }
  if (fromDefaults !== undefined) return { value: fromDefaults, from: "defaults" };
  if (block.level === "synthesis") return { value: "synthesis", from: "built-in" };
  return { value: hasTools ? "native-thinking" : CONFIGURED_STRATEGIES[0], from: "built-in" };
}

/** The stage's word goes before the agent's; an empty one says nothing. */
function typeOf(block: ExecutionBlock, agent: AgentEntry): AgentEntry["type"] {
  return block.type || agent.type;
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
