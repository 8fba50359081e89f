import {
  RESOLVED_CHAIN_VERSION,
  type IterationStrategy,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
  type ResolvedStage,
  type ResolvedSummaries,
} from "#shared/contracts/resolved-chain.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import type { ResolvedBudgets } from "#shared/contracts/budget.ts";
import type { SuccessPolicy } from "#shared/contracts/statuses.ts";

export interface ChainOptions {
  readonly strategy?: IterationStrategy;
  /** Names of the agents of each stage; by default one stage with one agent. */
  readonly stages?: readonly (readonly string[])[];
  readonly policy?: SuccessPolicy;
  readonly sessionTimeoutMs?: number;
  /** Of every agent, or by its name where only some may time out. */
  readonly iterationTimeoutMs?: number | ((agent: string) => number);
  readonly maxIterations?: number;
  /** How many agents of a stage run concurrently. */
  readonly maxParallel?: number;
  /** Prefix of a stage's name; its number follows. */
  readonly stagePrefix?: string;
  /** MCP servers of every agent. */
  readonly servers?: readonly string[];
  /** The longest result of a server that goes into a conversation whole, in tokens; by default the product's. */
  readonly resultTokens?: number;
  /** The type of every agent. */
  readonly agentType?: "action";
  readonly toolPolicy?: "strict";
  /** Names of the allowed tools by server id. */
  readonly toolChoice?: Readonly<Record<string, string[]>>;
  /** Instructions by server id. */
  readonly instructions?: Readonly<Record<string, string>>;
  /** How large results of the servers are summarized; by default they are not. */
  readonly summaries?: ResolvedSummaries;
  /** Native tools that are switched on for every provider. */
  readonly nativeTools?: readonly string[];
  /** The scripted provider that writes executive summaries. */
  readonly summaryProvider?: string;
  /** Replicas of each stage's agents, instead of different agents. */
  readonly isReplicated?: boolean;
  /** How many replicas begin at once; the others begin until they agree. By default all. */
  readonly minReplicas?: number;
  /** Whether agents get memories, and write them. */
  readonly remembers?: boolean;
  /** Whether the session is scored when it completes. */
  readonly isScored?: boolean;
  /** What its LLM calls may use; by default nothing is limited. */
  readonly budgets?: ResolvedBudgets;
  /** Whether every agent states its conclusion as data. */
  readonly concludes?: boolean;
  /** Scripted providers that take over from the first one, which plays `script.yaml`; each plays a script of its name. */
  readonly fallbacks?: readonly string[];
}

function conclusionOf(concludes = false): Pick<ResolvedAgent, "conclusion"> {
  return concludes ? { conclusion: CONCLUSION_CONTRACT } : {};
}

function typeOf(type: "action" | undefined): Pick<ResolvedAgent, "type"> {
  return type === undefined ? {} : { type };
}

function replicasOf(min: number | undefined): Pick<ResolvedStage, "replicas"> {
  return min === undefined ? {} : { replicas: { min, stop: "agreement" } };
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
  resultTokens,
  agentType,
  toolPolicy,
  toolChoice,
  instructions = {},
  summaries,
  nativeTools = [],
  summaryProvider,
  isReplicated = false,
  minReplicas,
  isScored,
  remembers,
  budgets,
  concludes,
  fallbacks = [],
}: ChainOptions = {}): ResolvedChain {
  const timeoutOf = timeoutsOf(iterationTimeoutMs);
  const conclusion = conclusionOf(concludes);
  const others = fallbacks.map((name) => scriptedProvider(name, `${name}.yaml`));
  const native_tools = Object.fromEntries(nativeTools.map((tool) => [tool, true]));
  const withNativeTools = { ...scriptedProvider("scripted", "script.yaml"), native_tools };
  const withFallbacks = others.length === 0 ? {} : { fallback_providers: others };
  return {
    version: RESOLVED_CHAIN_VERSION,
    chain_id: "test-chain",
    alert_type: "test",
    session_timeout_ms: sessionTimeoutMs,
    max_parallel_agents: maxParallel,
    mcp_server_instructions: { ...instructions },
    ...(toolPolicy === undefined ? {} : { tool_policy: toolPolicy }),
    ...(resultTokens === undefined
      ? {}
      : { mcp_server_result_tokens: Object.fromEntries(servers.map((id) => [id, resultTokens])) }),
    ...(summaries === undefined
      ? {}
      : { mcp_server_summaries: Object.fromEntries(servers.map((id) => [id, summaries])) }),
    ...(summaryProvider === undefined
      ? {}
      : {
          executive_summary: {
            llm_provider: scriptedProvider(summaryProvider, `${summaryProvider}.yaml`),
            ...withFallbacks,
          },
        }),
    ...judge(isScored, others),
    ...memoryOf(remembers),
    ...budgetsOf(budgets),
    default_runbook: "",
    stages: stages.map((names, index): ResolvedStage => ({
      name: `${stagePrefix}${index}`,
      parallel_type: names.length > 1 ? (isReplicated ? "replica" : "multi_agent") : null,
      success_policy: policy,
      ...replicasOf(minReplicas),
      agents: names.map((name, position) => ({
        ...resolvedAgent(name, strategy, timeoutOf(name)),
        ...(isReplicated ? { replica: position + 1 } : {}),
        ...(nativeTools.length === 0 ? {} : { llm_provider: withNativeTools }),
        // Only some prompts contain the name of the agent.
        custom_instructions: `Your name is ${name}.`,
        max_iterations: maxIterations,
        mcp_servers: [...servers],
        ...conclusion,
        ...typeOf(agentType),
        ...(toolChoice === undefined ? {} : { tool_choice: { ...toolChoice } }),
        ...withFallbacks,
      })),
      ...(names.length > 1
        ? {
            synthesis: {
              ...resolvedAgent("SynthesisAgent", "synthesis", timeoutOf("SynthesisAgent")),
              ...conclusion,
              ...withFallbacks,
            },
          }
        : {}),
    })),
  };
}

function judge(
  isScored: boolean | undefined,
  others: readonly ResolvedProvider[],
): Pick<ResolvedChain, "scoring"> {
  if (isScored !== true) return {};
  const agent = resolvedAgent("ScoringAgent", "scoring");
  const fallbacks = others.length === 0 ? {} : { fallback_providers: [...others] };
  return { scoring: { enabled: true, agent: { ...agent, ...fallbacks } } };
}

function timeoutsOf(limit: number | ((agent: string) => number)): (agent: string) => number {
  return typeof limit === "number" ? () => limit : limit;
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

function budgetsOf(budgets?: ResolvedBudgets): Pick<ResolvedChain, "budgets"> {
  return budgets === undefined ? {} : { budgets };
}

function memoryOf(remembers = false): Pick<ResolvedChain, "memory"> {
  return remembers ? { memory: { max_inject: 5, reflector_memory_limit: 20 } } : {};
}
