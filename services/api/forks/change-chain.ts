import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import type { ResolvedAgent, ResolvedChain, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { RequestError } from "../http/request-error.ts";
import type { ForkChanges } from "./contract.ts";

type Changeable = Pick<
  ResolvedAgent,
  "llm_provider" | "fallback_providers" | "custom_instructions" | "max_iterations"
>;

/**
 * The chain of a fork: its parent's with the changes in every agent. A named provider is resolved from today's configuration. Throws
 * RequestError 422 for an unknown one.
 */
export function changeChain(config: AgentConfig, chain: ResolvedChain, changes: ForkChanges): ResolvedChain {
  const { llm_provider: name } = changes;
  if (name !== undefined && !config.llmProviders.has(name)) {
    throw new RequestError(
      422,
      `changes.llm_provider: there is no LLM provider '${name}' in the configuration`,
      { allowed: [...config.llmProviders.keys()] },
    );
  }
  const change = <T extends Changeable>(agent: T): T => changeAgent(config, agent, changes);
  return {
    ...chain,
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map((agent) => ({
        ...change(agent),
        ...(agent.sub_agents === undefined ? {} : { sub_agents: agent.sub_agents.map(change) }),
      })),
      ...(stage.synthesis === undefined ? {} : { synthesis: change(stage.synthesis) }),
    })),
  };
}

function changeAgent<T extends Changeable>(config: AgentConfig, agent: T, changes: ForkChanges): T {
  const { custom_instructions, max_iterations } = changes;
  return {
    ...agent,
    ...providersOf(config, agent, changes),
    ...(custom_instructions === undefined ? {} : { custom_instructions }),
    ...(max_iterations === undefined ? {} : { max_iterations }),
  };
}

function providersOf(
  config: AgentConfig,
  { llm_provider: former, fallback_providers }: Changeable,
  { llm_provider: name, model }: ForkChanges,
): Partial<Pick<Changeable, "llm_provider" | "fallback_providers">> {
  const withModel = (provider: ResolvedProvider) => (model === undefined ? provider : { ...provider, model });
  if (name === undefined) return { llm_provider: withModel(former) };
  const { call_timeout_ms: callMs, backend } = former;
  const next = resolveProvider(config, name, {
    callMs,
    ...(config.llmProviders.get(name)?.type === former.type ? { backend } : {}),
  });
  // The switches of native tools are the agent's; only Gemini has native tools.
  const native_tools =
    next.type === "google" ? { ...next.native_tools, ...former.native_tools } : next.native_tools;
  return {
    llm_provider: withModel({ ...next, native_tools }),
    ...(fallback_providers === undefined
      ? {}
      : { fallback_providers: fallback_providers.filter((fallback) => fallback.name !== name) }),
  };
}
