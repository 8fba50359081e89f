import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { CHAT_AGENT } from "#shared/agent-config/built-in-config.ts";
import { configuredAgents, subAgentEntries } from "#shared/agent-config/checks/configured-agents.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import { backendsOf, missingNativeTools } from "#shared/agent-config/schemas/backend.ts";
import type { FallbackEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

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

type Entries = (Loose<FallbackEntry> | undefined)[] | undefined;

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
  entries: Entries,
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
