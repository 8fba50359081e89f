import { builtInTimeouts } from "#shared/agent-config/built-in-timeouts.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { configuredAgents } from "#shared/agent-config/checks/configured-agents.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";

/** A level at which an agent's providers or time may be set. */
interface Level {
  llm_provider?: string;
  fallback_providers?: ({ provider?: string } | undefined)[];
  iteration_timeout?: string;
}

/** The levels of one agent, nearest first. */
interface AgentLevels {
  readonly provider: readonly (Level | undefined)[];
  readonly fallbacks: readonly (Level | undefined)[];
  readonly timeout: readonly (Level | undefined)[];
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
    checkAgent(levels, context);
  }
}

function checkAgent(levels: AgentLevels, context: CheckContext): void {
  const named = levels.provider.find((level) => level?.llm_provider !== undefined)?.llm_provider;
  const own = named ?? context.providerByKey;
  const list = levels.fallbacks.find((level) => level?.fallback_providers !== undefined);
  for (const name of [own, ...(list?.fallback_providers ?? []).map((entry) => entry?.provider)]) {
    if (name !== undefined) checkProvider(name, levels, context);
  }
}

function checkProvider(
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
