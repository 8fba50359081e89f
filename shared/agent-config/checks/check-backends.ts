import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { configuredAgents } from "#shared/agent-config/checks/configured-agents.ts";
import { backendsOf } from "#shared/agent-config/schemas/backend.ts";
import type { AgentEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** A level at which an agent's provider or its backend may be set. */
interface Level {
  llm_provider?: string;
  llm_backend?: string;
}

/** An agent of a stage, with the levels of its settings, nearest first. */
interface StageAgent {
  readonly definition: Loose<AgentEntry> | undefined;
  /** Where the chain names the agent; undefined where it does not. */
  readonly block: (Level & { name?: string; agent?: string }) | undefined;
  readonly providers: readonly (Level | undefined)[];
  readonly backends: readonly (Level | undefined)[];
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
    checkAgent({ definition, block, providers, backends }, context);
  }
}

function checkAgent({ definition, block, providers, backends }: StageAgent, context: CheckContext): void {
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
