import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { SCORING_AGENT } from "#shared/agent-config/built-in-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { ResolvedAgent, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";

type ScoringConfig = Pick<AgentConfig, "agents" | "defaults" | "llmProviders">;

/** True if each completed session of a chain is scored. A block of the chain decides alone, and without `enabled` it is off. */
export function scoresByItself(
  { defaults }: Pick<ScoringConfig, "defaults">,
  { scoring }: ChainEntry,
): boolean {
  return (scoring ?? defaults.scoring)?.enabled === true;
}

/**
 * The judge of a chain's sessions, also of a chain that is scored by hand only. A provider that the defaults name for scoring
 * goes before that of the chain: investigators should not judge themselves. Throws TerminalError `invalid_configuration`
 * if there is no such agent, or if no level names a provider.
 */
export function resolveScoring(config: ScoringConfig, chain: ChainEntry): ResolvedAgent {
  const { agents, defaults } = config;
  const name = chain.scoring?.agent ?? defaults.scoring?.agent ?? SCORING_AGENT;
  const agent = agents.get(name);
  if (agent === undefined) throw new TerminalError("invalid_configuration", `there is no agent ${name}`);
  const levels = [chain.scoring, defaults.scoring, chain, defaults];
  const provider = levels.find((level) => level?.llm_provider !== undefined)?.llm_provider;
  if (provider === undefined) {
    throw new TerminalError("invalid_configuration", "no LLM provider is configured for scoring");
  }
  const backends = [chain.scoring, defaults.scoring, chain, agent, defaults];
  const backend = backends.find((level) => level?.llm_backend !== undefined)?.llm_backend;
  const callMs = defaults.iteration_timeout_ms;
  const own = resolveProvider(config, provider, { backend, callMs });
  const others = (chain.fallback_providers ?? defaults.fallback_providers ?? []).map((entry) =>
    resolveProvider(config, entry.provider, { backend: entry.backend, callMs }),
  );
  return {
    name,
    iteration_strategy: "scoring",
    max_iterations: defaults.max_iterations,
    // A provider's calls may take longer than the iterations of agents.
    iteration_timeout_ms: Math.max(callMs, ...[own, ...others].map((one) => one.call_timeout_ms ?? 0)),
    mcp_servers: [],
    custom_instructions: agent.custom_instructions ?? "",
    llm_provider: withoutTools(own),
    ...(others.length === 0 ? {} : { fallback_providers: others.map(withoutTools) }),
  };
}

/** A judge sees what the investigators saw, and nothing else. */
function withoutTools(provider: ResolvedProvider): ResolvedProvider {
  const off = Object.keys(provider.native_tools).map((tool) => [tool, false] as const);
  return { ...provider, native_tools: Object.fromEntries(off) };
}
