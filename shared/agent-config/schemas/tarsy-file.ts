import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { MAX_ROW_LABELS } from "#shared/alert-labels.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import { CONFIGURED_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import { SUCCESS_POLICIES } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Backend } from "#shared/agent-config/schemas/backend.ts";
import { ChainBudgets, DefaultBudgets } from "#shared/agent-config/schemas/budgets.ts";
import { Grouping } from "#shared/agent-config/schemas/grouping.ts";
import { McpServer } from "#shared/agent-config/schemas/mcp-server.ts";
import { MemorySection } from "#shared/agent-config/schemas/memory-section.ts";
import { ScoringSection } from "#shared/agent-config/schemas/scoring.ts";
import { Orchestrator, SubAgents } from "#shared/agent-config/schemas/sub-agents.ts";
import {
  Duration,
  Name,
  Template,
  UnusedDuration,
  Whole,
  orZero,
} from "#shared/agent-config/schemas/schema-parts.ts";
import { SystemSection } from "#shared/agent-config/schemas/system-section.ts";

const Names = Type.Array(Name);
const FallbackEntry = Type.Object({
  provider: Name,
  backend: Type.Optional(Backend),
});
export type FallbackEntry = Static<typeof FallbackEntry>;
const FallbackProviders = Type.Array(FallbackEntry);
const Strategy = Type.Enum(CONFIGURED_STRATEGIES);
/** `action` and `synthesis` have an effect on the agents of stages; the others are those of the format. */
const AgentType = Type.Enum(["", "action", "synthesis", "exec_summary", "scoring"]);
const ToolPolicy = Type.Enum(["standard", "strict"]);
/** The most replicas that are started one after another. */
const MAX_ADAPTIVE_REPLICAS = 10;
const ConclusionContract = Type.Enum([CONCLUSION_CONTRACT, "none"]);
export type ConclusionContract = Static<typeof ConclusionContract>;
const MaxIterations = Whole(1);

const QueueSection = Type.Object({
  worker_count: Type.Optional(orZero(Whole(1, 50))),
  max_concurrent_sessions: Type.Optional(orZero(Whole(1))),
  max_concurrent_followups: Type.Optional(Whole(1)),
  max_parallel_agents: Type.Optional(Whole(1)),
  session_timeout: Type.Optional(orZero(Duration)),
  poll_interval: Type.Optional(UnusedDuration),
  poll_interval_jitter: Type.Optional(UnusedDuration),
  graceful_shutdown_timeout: Type.Optional(UnusedDuration),
  orphan_detection_interval: Type.Optional(UnusedDuration),
  orphan_threshold: Type.Optional(UnusedDuration),
  heartbeat_interval: Type.Optional(UnusedDuration),
  scoring_shutdown_timeout: Type.Optional(UnusedDuration),
});
export type QueueSection = Static<typeof QueueSection>;

const DefaultsSection = Type.Object({
  llm_provider: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
  executive_summary_provider: Type.Optional(Name),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_strategy: Type.Optional(Strategy),
  iteration_timeout: Type.Optional(Duration),
  success_policy: Type.Optional(Type.Enum(SUCCESS_POLICIES)),
  alert_type: Type.Optional(Name),
  runbook: Type.Optional(Type.String({ minLength: 1, template: true })),
  tool_policy: Type.Optional(ToolPolicy),
  conclusion: Type.Optional(ConclusionContract),
  approval_timeout: Type.Optional(Duration),
  alert_masking: Type.Optional(
    Type.Object({ enabled: Type.Optional(Type.Boolean()), pattern_group: Type.Optional(Name) }),
  ),
  summarization: Type.Optional(
    Type.Object({
      llm_provider: Type.Optional(Name),
      llm_backend: Type.Optional(Backend),
      /** Sizes belong to a server: here they are errors. */
      size_threshold_tokens: Type.Optional(Whole(0)),
      summary_max_token_limit: Type.Optional(Whole(0)),
    }),
  ),
  orchestrator: Type.Optional(Orchestrator),
  budgets: Type.Optional(DefaultBudgets),
  scoring: Type.Optional(ScoringSection),
  memory: Type.Optional(MemorySection),
});
export type DefaultsSection = Static<typeof DefaultsSection>;

/** A server as the file has it. */
export type WrittenServer = Static<typeof McpServer>;

/** A server with what its pack says. */
export type McpServerEntry = WrittenServer & Required<Pick<WrittenServer, "transport">>;

/** The skills of an agent, and of a stage's entry for it, which adds to them. */
const SKILL_KEYS = {
  skills: Type.Optional(Names),
  required_skills: Type.Optional(Names),
};

const AgentEntry = Type.Object({
  type: Type.Optional(AgentType),
  description: Type.Optional(Template),
  llm_backend: Type.Optional(Backend),
  native_tools: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  mcp_servers: Type.Optional(Names),
  custom_instructions: Type.Optional(Template),
  iteration_strategy: Type.Optional(Strategy),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  conclusion: Type.Optional(ConclusionContract),
  ...SKILL_KEYS,
  orchestrator: Type.Optional(Orchestrator),
});
export type AgentEntry = Static<typeof AgentEntry>;

const StageAgentEntry = Type.Object({
  name: Name,
  type: Type.Optional(AgentType),
  llm_provider: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
  fallback_providers: Type.Optional(FallbackProviders),
  iteration_strategy: Type.Optional(Strategy),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
  conclusion: Type.Optional(ConclusionContract),
  ...SKILL_KEYS,
  sub_agents: Type.Optional(SubAgents),
});
export type StageAgentEntry = Static<typeof StageAgentEntry>;

const SynthesisEntry = Type.Object({
  agent: Type.Optional(Name),
  iteration_strategy: Type.Optional(Strategy),
  llm_provider: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
});

/** How often the agents of a stage run; a number is `min`, and the most where there is no `max`. */
const Replicas = Type.Object(
  {
    min: Type.Optional(Whole(0)),
    max: Type.Optional(Whole(1, MAX_ADAPTIVE_REPLICAS)),
    stop: Type.Optional(Type.Enum(["agreement"])),
  },
  { shorthand: "min" },
);

const StageEntry = Type.Object({
  name: Name,
  agents: Type.Array(StageAgentEntry, { minItems: 1 }),
  replicas: Type.Optional(Replicas),
  success_policy: Type.Optional(Type.Enum(SUCCESS_POLICIES)),
  llm_backend: Type.Optional(Backend),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
  conclusion: Type.Optional(ConclusionContract),
  sub_agents: Type.Optional(SubAgents),
  synthesis: Type.Optional(SynthesisEntry),
});
export type StageEntry = Static<typeof StageEntry>;

/** The least and the most replicas of a stage; equal unless its replicas stop when they agree. */
export function replicasOf({
  replicas,
}: {
  readonly replicas?: { readonly min?: number | undefined; readonly max?: number | undefined } | undefined;
}): {
  readonly min: number;
  readonly max: number;
} {
  const min = Math.max(1, replicas?.min ?? 1);
  return { min, max: Math.max(min, replicas?.max ?? min) };
}

const ChatEntry = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  agent: Type.Optional(Name),
  iteration_strategy: Type.Optional(Strategy),
  llm_provider: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
  mcp_servers: Type.Optional(Names),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  sub_agents: Type.Optional(SubAgents),
});
export type ChatEntry = Static<typeof ChatEntry>;

const ChainEntry = Type.Object({
  alert_types: Type.Array(Name, { minItems: 1 }),
  description: Type.Optional(Template),
  teams: Type.Optional(Names),
  grouping: Type.Optional(Grouping),
  priority: Type.Optional(Type.Enum(SESSION_LANES)),
  row_labels: Type.Optional(Type.Array(Name, { maxItems: MAX_ROW_LABELS })),
  tool_policy: Type.Optional(ToolPolicy),
  conclusion: Type.Optional(ConclusionContract),
  stages: Type.Array(StageEntry, { minItems: 1 }),
  chat: Type.Optional(ChatEntry),
  scoring: Type.Optional(ScoringSection),
  budgets: Type.Optional(ChainBudgets),
  runbook: Type.Optional(Type.String({ minLength: 1, template: true })),
  llm_provider: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
  executive_summary_provider: Type.Optional(Name),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
  sub_agents: Type.Optional(SubAgents),
});
export type ChainEntry = Static<typeof ChainEntry>;

/** The shape of `tarsy.yaml`; `checks/` has the rules across entries. */
export const TarsyFile = Type.Object({
  queue: Type.Optional(QueueSection),
  system: Type.Optional(SystemSection),
  defaults: Type.Optional(DefaultsSection),
  mcp_servers: Type.Optional(Type.Record(Type.String(), McpServer)),
  agents: Type.Optional(Type.Record(Type.String(), AgentEntry)),
  agent_chains: Type.Optional(Type.Record(Type.String(), ChainEntry)),
});
export type TarsyFile = Static<typeof TarsyFile>;
