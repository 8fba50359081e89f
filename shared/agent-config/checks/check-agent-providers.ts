import type { Loose } from "#shared/agent-config/check-shape.ts";
import {
  type CheckContext,
  configuredAgents,
  subAgentEntries,
} from "#shared/agent-config/checks/check-context.ts";
import { CHAT_AGENT, builtInTimeouts } from "#shared/agent-config/built-in-config.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import { backendsOf, missingNativeTools } from "#shared/agent-config/schemas/backend.ts";
import type { FallbackEntry, AgentEntry, ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { ScoringSection } from "#shared/agent-config/schemas/scoring.ts";

/** Every entry of a list of fallback providers must name a known provider, and a backend that serves its type. */
export function checkFallbacks(
  entries: (Loose<FallbackEntry> | undefined)[] | undefined,
  context: CheckContext,
): void {
  for (const entry of entries ?? []) {
    if (entry === undefined) continue;
    const provider = { container: entry, key: "provider" };
    context.reporter.unknownName(provider, "LLM provider", entry.provider, context.names.llmProviders);
    checkBackend({ container: entry, key: "backend" }, entry.provider, entry.backend, context);
  }
}

type FallbackEntries = (Loose<FallbackEntry> | undefined)[] | undefined;

/** Warns of each fallback provider that never takes over from an agent, because it lacks a native tool of the agent. */
export function checkNativeFallbacks(context: CheckContext): void {
  const { chains, tarsy } = context;
  const ofDefaults = tarsy.defaults?.fallback_providers;
  for (const { chain, stage, block, isSynthesis, name } of configuredAgents(context)) {
    const own = block !== undefined && "fallback_providers" in block ? block.fallback_providers : undefined;
    const ofStage = isSynthesis ? undefined : (own ?? stage.fallback_providers);
    warnOfMissing(name, ofStage ?? chain.fallback_providers ?? ofDefaults, context);
  }
  for (const chain of chains.values()) {
    const { chat } = chain;
    const others = subAgentEntries(chain).map(({ name = "" }) => name);
    for (const name of chat?.enabled === false ? others : [chat?.agent ?? CHAT_AGENT, ...others]) {
      warnOfMissing(name, chain.fallback_providers ?? ofDefaults, context);
    }
  }
}

function warnOfMissing(
  agent: string,
  entries: FallbackEntries,
  { reporter, agents, llmProviders }: CheckContext,
): void {
  for (const entry of entries ?? []) {
    const type = llmProviders.get(entry?.provider ?? "")?.type;
    if (entry === undefined) continue;
    const missing = missingNativeTools(type, agents.get(agent)?.native_tools);
    if (missing.length === 0) continue;
    const rule = `never takes over from agent ${agent}, because it lacks the native tools ${missing.join(", ")}`;
    reporter.warn({ container: entry, key: "provider" }, rule, "only providers of type google have them");
  }
}

/** An error for a backend that does not serve the provider it is named with. */
export function checkBackend(
  target: Target,
  provider: string | undefined,
  backend: string | undefined,
  { reporter, llmProviders }: CheckContext,
): void {
  const type = provider === undefined ? undefined : llmProviders.get(provider)?.type;
  if (type === undefined || backend === undefined) return;
  if (backendsOf(type).some((served) => served === backend)) return;
  if (backendsOf(type).length === 0) reporter.error(target, `must not be set for provider type ${type}`);
  else reporter.error(target, `must be ${backendsOf(type).join(" or ")} for provider type ${type}`);
}

/** A level at which an agent's providers, its backend or its time may be set. */
interface SettingsLevel {
  llm_provider?: string;
  llm_backend?: string;
  fallback_providers?: ({ provider?: string } | undefined)[];
  iteration_timeout?: string;
}

/** An agent of a stage, with the levels of its settings, nearest first. */
interface StageAgent {
  readonly definition: Loose<AgentEntry> | undefined;
  /** The block in which the chain names the agent; undefined where it does not. */
  readonly block: (SettingsLevel & { name?: string; agent?: string }) | undefined;
  readonly providers: readonly (SettingsLevel | undefined)[];
  readonly backends: readonly (SettingsLevel | undefined)[];
}

/**
 * Warns of each `llm_backend` and of each agent's native tools that the agent's provider does not have: the provider is then
 * called as its type requires. They may be set at different levels, so neither is a mistake.
 */
export function checkBackends(context: CheckContext): void {
  const { defaults } = context.tarsy;
  for (const { chain, stage, block, isSynthesis, definition } of configuredAgents(context)) {
    const providers = [block, chain, defaults];
    const backends = [block, isSynthesis ? undefined : stage, chain, definition, defaults];
    checkBackendOf({ definition, block, providers, backends }, context);
  }
}

function checkBackendOf({ definition, block, providers, backends }: StageAgent, context: CheckContext): void {
  const { reporter, llmProviders, providerByKey = "" } = context;
  const name = providers.find((level) => level?.llm_provider !== undefined)?.llm_provider ?? providerByKey;
  const type = llmProviders.get(name)?.type;
  if (type === undefined) return;
  const hint = `${name} is of type ${type}`;
  const level = backends.find((one) => one?.llm_backend !== undefined);
  const isServed = backendsOf(type).some((served) => served === level?.llm_backend);
  if (level !== undefined && !isServed && reporter.sources.has(level)) {
    reporter.warn({ container: level, key: "llm_backend" }, "has no effect for every agent", hint);
  }
  const { native_tools: tools } = definition ?? {};
  if (definition === undefined || tools === undefined || type === "google") return;
  if (!Object.values(tools).includes(true)) return;
  if (reporter.sources.has(definition)) {
    reporter.warn({ container: definition, key: "native_tools" }, "has no effect for every agent", hint);
  } else if (block !== undefined) {
    const key = block.name === undefined ? "agent" : "name";
    reporter.warn({ container: block, key }, "has none of its native tools, which only Gemini has", hint);
  }
}

/** The levels of one agent, nearest first. */
interface AgentLevels {
  readonly provider: readonly (SettingsLevel | undefined)[];
  readonly fallbacks: readonly (SettingsLevel | undefined)[];
  readonly timeout: readonly (SettingsLevel | undefined)[];
}

/**
 * Checks that `timeouts.call` of each provider can take effect where the provider is used: an iteration and a session must be
 * allowed to last as long.
 */
export function checkCallTime(context: CheckContext): void {
  const { defaults } = context.tarsy;
  for (const { chain, stage, block, isSynthesis, definition } of configuredAgents(context)) {
    const levels = {
      provider: [block, chain, defaults],
      fallbacks: isSynthesis ? [chain, defaults] : [block, stage, chain, defaults],
      timeout: [block, stage, chain, definition, defaults],
    };
    checkCallTimeOf(levels, context);
  }
}

function checkCallTimeOf(levels: AgentLevels, context: CheckContext): void {
  const named = levels.provider.find((level) => level?.llm_provider !== undefined)?.llm_provider;
  const own = named ?? context.providerByKey;
  const list = levels.fallbacks.find((level) => level?.fallback_providers !== undefined);
  for (const name of [own, ...(list?.fallback_providers ?? []).map((entry) => entry?.provider)]) {
    if (name !== undefined) checkProviderTime(name, levels, context);
  }
}

function checkProviderTime(
  name: string,
  { timeout }: AgentLevels,
  { reporter, llmProviders, tarsy }: CheckContext,
): void {
  const call = llmProviders.get(name)?.timeouts?.call;
  const callMs = milliseconds(call);
  if (callMs === undefined) return;
  const shown = `timeouts.call (${call}) of provider ${name}`;
  const level = timeout.find((one) => one?.iteration_timeout !== undefined);
  if (level !== undefined && (milliseconds(level.iteration_timeout) ?? callMs) < callMs) {
    const target = { container: level, key: "iteration_timeout" };
    reporter.error(target, `must not be shorter than ${shown}`, "without it, the provider's time is used");
  }
  const { queue } = tarsy;
  const written = queue?.session_timeout;
  if (queue !== undefined && written === undefined && reporter.sources.hasChild(queue, "session_timeout")) {
    return;
  }
  const { session_timeout: builtIn } = builtInTimeouts(tarsy);
  if ((milliseconds(written ?? builtIn) ?? Infinity) > callMs) return;
  const found = written === undefined ? ` and is ${builtIn} by default` : "";
  reporter.error(
    { container: queue ?? tarsy, key: "session_timeout", path: "queue.session_timeout" },
    `must be longer than ${shown}${found}`,
    "a session makes several calls",
  );
}

function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

const WITHOUT_EFFECT = {
  mcp_servers: "a judge calls no tools",
  max_iterations: "a judge is asked a fixed number of times",
} as const;

/** Checks what a chain or the defaults say about scoring. */
export function checkScoring(scoring: Loose<ScoringSection>, context: CheckContext): void {
  const { reporter, names } = context;
  reporter.unknownName({ container: scoring, key: "agent" }, "agent", scoring.agent, names.agents);
  const named = { container: scoring, key: "llm_provider" };
  reporter.unknownName(named, "LLM provider", scoring.llm_provider, names.llmProviders);
  checkBackend(
    { container: scoring, key: "llm_backend" },
    scoring.llm_provider,
    scoring.llm_backend,
    context,
  );
  for (const [key, why] of Object.entries(WITHOUT_EFFECT)) {
    if (Object.hasOwn(scoring, key)) {
      reporter.warn({ container: scoring, key }, "is valid but has no effect", why);
    }
  }
}

/** The block of a chain that switches scoring on, or that of the defaults; undefined if the chain is not scored by itself. */
export function scoringBlock(
  chain: Loose<ChainEntry>,
  { tarsy }: Pick<CheckContext, "tarsy">,
): Loose<ScoringSection> | undefined {
  const block = chain.scoring ?? tarsy.defaults?.scoring;
  return block?.enabled === true ? block : undefined;
}

/** Warns of a judge with the model of an agent that it judges, where the files have a provider with another one. */
export function checkJudges(context: CheckContext): void {
  const { chains, llmProviders, reporter, tarsy } = context;
  const written = [...llmProviders].filter(([, provider]) => reporter.sources.has(provider));
  for (const chain of chains.values()) {
    const block = scoringBlock(chain, context);
    const levels = [chain.scoring, tarsy.defaults?.scoring, chain, tarsy.defaults];
    const judge = levels.find((level) => level?.llm_provider !== undefined)?.llm_provider;
    if (block === undefined || judge === undefined) continue;
    const model = llmProviders.get(judge)?.model;
    const isOwn = investigators(chain, context).some((name) => llmProviders.get(name)?.model === model);
    const other = written.find(([, provider]) => provider.model !== undefined && provider.model !== model);
    if (model === undefined || !isOwn || other === undefined) continue;
    const target = { container: block, key: block.llm_provider === undefined ? "enabled" : "llm_provider" };
    reporter.warn(
      target,
      `lets the model ${model} judge its own investigations`,
      `name another provider, such as ${other[0]}, as llm_provider here`,
    );
  }
}

/** The names of the providers that a chain's agents use first. */
function investigators(chain: Loose<ChainEntry>, { tarsy }: CheckContext): string[] {
  const shared = chain.llm_provider ?? tarsy.defaults?.llm_provider;
  return (chain.stages ?? []).flatMap((stage) =>
    (stage?.agents ?? []).flatMap((agent) => agent?.llm_provider ?? shared ?? []),
  );
}
