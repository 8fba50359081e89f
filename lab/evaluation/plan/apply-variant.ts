import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import {
  withVariables,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
} from "#shared/contracts/resolved-chain.ts";
import type { Variant } from "../suite/suite.ts";

/** What every cell has of the suite. */
interface CellSettings {
  readonly timeoutMs: number;
  /** What the cell may cost; undefined: no limit. */
  readonly budgetUsd: number | undefined;
}

/**
 * The chain that a cell runs: `base` with the variant's changes and the suite's limits; the suite's own judge is asked afterwards. What reads or writes the data of other
 * sessions is left out: memories, budgets of a day, and runbooks that would be fetched (the cassette has the text).
 */
export function applyVariant(
  base: ResolvedChain,
  variant: Variant,
  config: Pick<AgentConfig, "llmProviders">,
  { timeoutMs, budgetUsd }: CellSettings,
): ResolvedChain {
  const { scoring: _scoring, memory: _memory, budgets: _budgets, fetches_runbook: _fetches, ...chain } = base;
  const provider =
    variant.provider === undefined ? undefined : chosenProvider(config, variant, variant.provider);
  const adaptOwn = <A extends Omit<ResolvedAgent, "sub_agents">>({ fallback_providers, ...agent }: A) => ({
    ...agent,
    ...(variant.maxIterations === undefined ? {} : { max_iterations: variant.maxIterations }),
    // Another model than the chosen one must not take over: the results would be its own.
    ...(provider === undefined
      ? fallback_providers === undefined
        ? {}
        : { fallback_providers }
      : {
          llm_provider: withNativeTools(provider, agent.llm_provider),
          // A provider's calls may take longer than the iterations of agents.
          iteration_timeout_ms: Math.max(agent.iteration_timeout_ms, provider.call_timeout_ms ?? 0),
        }),
  });
  const adapt = ({ sub_agents, ...agent }: ResolvedAgent): ResolvedAgent => ({
    ...adaptOwn(agent),
    ...(sub_agents === undefined ? {} : { sub_agents: sub_agents.map(adaptOwn) }),
  });
  const instruct = (agent: ResolvedAgent): ResolvedAgent =>
    variant.instructions === undefined ? agent : { ...agent, custom_instructions: variant.instructions };
  return withVariables({
    ...chain,
    ...(provider === undefined || chain.executive_summary === undefined
      ? {}
      : { executive_summary: { llm_provider: provider } }),
    ...(provider === undefined || chain.mcp_server_summaries === undefined
      ? {}
      : { mcp_server_summaries: summarizedByAgents(chain.mcp_server_summaries) }),
    session_timeout_ms: timeoutMs,
    ...(budgetUsd === undefined ? {} : { budgets: { session: { usd: budgetUsd } } }),
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map((agent) => instruct(adapt(agent))),
      ...(stage.synthesis === undefined ? {} : { synthesis: adapt(stage.synthesis) }),
    })),
  });
}

/** Throws TerminalError `invalid_configuration` for an unknown provider. */
function chosenProvider(
  config: Pick<AgentConfig, "llmProviders">,
  { model }: Variant,
  name: string,
): ResolvedProvider {
  const provider = resolveProvider(config, name, {});
  return model === undefined ? provider : { ...provider, model };
}

/** The switches of the agent that are those of the same kind of provider. */
function withNativeTools(provider: ResolvedProvider, former: ResolvedProvider): ResolvedProvider {
  if (provider.type !== former.type) return provider;
  return { ...provider, native_tools: { ...provider.native_tools, ...former.native_tools } };
}

function summarizedByAgents(
  summaries: NonNullable<ResolvedChain["mcp_server_summaries"]>,
): NonNullable<ResolvedChain["mcp_server_summaries"]> {
  const entries = Object.entries(summaries).map(
    ([server, { llm_provider: _provider, ...rest }]) => [server, rest] as const,
  );
  return Object.fromEntries(entries);
}
