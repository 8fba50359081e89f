import {
  RESOLVED_CHAIN_VERSION,
  type IterationStrategy,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
  type ResolvedStage,
} from "#shared/contracts/resolved-chain.ts";
import type { SuccessPolicy } from "#shared/contracts/statuses.ts";

export interface ChainOptions {
  readonly strategy?: IterationStrategy;
  /** Names of the agents of each stage; by default one stage with one agent. */
  readonly stages?: readonly (readonly string[])[];
  readonly policy?: SuccessPolicy;
  readonly sessionTimeoutMs?: number;
  readonly iterationTimeoutMs?: number;
  readonly maxIterations?: number;
  /** How many agents of a stage run concurrently. */
  readonly maxParallel?: number;
  /** Prefix of a stage's name; its number follows. */
  readonly stagePrefix?: string;
  /** MCP servers of every agent. */
  readonly servers?: readonly string[];
  /** Scripted providers that take over from the first one, which plays `script.yaml`; each plays a script of its name. */
  readonly fallbacks?: readonly string[];
}

/** A chain whose agents use the scripted provider. */
export function resolvedChain({
  strategy = "single-call",
  stages = [["TestAgent"]],
  policy = "any",
  sessionTimeoutMs = 900_000,
  iterationTimeoutMs = 120_000,
  maxIterations = 20,
  maxParallel = 5,
  stagePrefix = "stage-",
  servers = [],
  fallbacks = [],
}: ChainOptions = {}): ResolvedChain {
  const others = fallbacks.map((name) => scriptedProvider(name, `${name}.yaml`));
  const withFallbacks = others.length === 0 ? {} : { fallback_providers: others };
  return {
    version: RESOLVED_CHAIN_VERSION,
    chain_id: "test-chain",
    alert_type: "test",
    session_timeout_ms: sessionTimeoutMs,
    max_parallel_agents: maxParallel,
    mcp_server_instructions: {},
    default_runbook: "",
    stages: stages.map((names, index): ResolvedStage => ({
      name: `${stagePrefix}${index}`,
      parallel_type: names.length > 1 ? "multi_agent" : null,
      success_policy: policy,
      agents: names.map((name) => ({
        ...resolvedAgent(name, strategy, iterationTimeoutMs),
        // Only some prompts contain the name of the agent.
        custom_instructions: `Your name is ${name}.`,
        max_iterations: maxIterations,
        mcp_servers: [...servers],
        ...withFallbacks,
      })),
      ...(names.length > 1
        ? {
            synthesis: {
              ...resolvedAgent("SynthesisAgent", "synthesis", iterationTimeoutMs),
              ...withFallbacks,
            },
          }
        : {}),
    })),
  };
}

/** An agent without servers or instructions. */
export function resolvedAgent(
  name = "TestAgent",
  strategy: IterationStrategy = "single-call",
  iterationTimeoutMs = 120_000,
): ResolvedAgent {
  return {
    name,
    iteration_strategy: strategy,
    max_iterations: 20,
    iteration_timeout_ms: iterationTimeoutMs,
    mcp_servers: [],
    custom_instructions: "",
    llm_provider: scriptedProvider("scripted", "script.yaml"),
  };
}

/** A provider that plays this script. */
export function scriptedProvider(name: string, script: string): ResolvedProvider {
  return {
    name,
    type: "scripted",
    model: `${name}-test`,
    backend: "scripted",
    script,
    max_tool_result_tokens: 250_000,
    native_tools: {},
  };
}
