import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { ITERATION_STRATEGIES, type LlmBackend } from "#shared/contracts/resolved-chain.ts";
import { SUCCESS_POLICIES } from "#shared/contracts/statuses.ts";
import {
  Duration,
  DurationOrZero,
  Name,
  Secret,
  Template,
  Text,
  Whole,
} from "#shared/agent-config/schemas/schema-parts.ts";

const TRANSPORT_TYPES = ["stdio", "http", "sse"] as const;

/** The backends that a file may name; a scripted provider has one of its own. */
export const WRITTEN_BACKENDS = ["google-native", "langchain"] as const satisfies readonly LlmBackend[];

const Names = Type.Array(Name);
const FallbackEntry = Type.Object({
  provider: Name,
  backend: Type.Optional(Type.Enum(WRITTEN_BACKENDS)),
});
export type FallbackEntry = Static<typeof FallbackEntry>;
const FallbackProviders = Type.Array(FallbackEntry);
const Strategy = Type.Enum(ITERATION_STRATEGIES);
const MaxIterations = Whole(1);

const QueueSection = Type.Object({
  worker_count: Type.Optional(Whole(1, 50)),
  max_concurrent_sessions: Type.Optional(Whole(1)),
  max_parallel_agents: Type.Optional(Whole(1)),
  session_timeout: Type.Optional(Duration),
  poll_interval: Type.Optional(Duration),
  poll_interval_jitter: Type.Optional(DurationOrZero),
  graceful_shutdown_timeout: Type.Optional(Duration),
  orphan_detection_interval: Type.Optional(Duration),
  orphan_threshold: Type.Optional(Duration),
  heartbeat_interval: Type.Optional(Duration),
});
export type QueueSection = Static<typeof QueueSection>;

const DefaultsSection = Type.Object({
  llm_provider: Type.Optional(Name),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_strategy: Type.Optional(Strategy),
  iteration_timeout: Type.Optional(Duration),
  success_policy: Type.Optional(Type.Enum(SUCCESS_POLICIES)),
  alert_type: Type.Optional(Name),
  runbook: Type.Optional(Type.String({ minLength: 1, template: true })),
});
export type DefaultsSection = Static<typeof DefaultsSection>;

const McpServerEntry = Type.Object({
  transport: Type.Object({
    type: Type.Enum(TRANSPORT_TYPES),
    command: Type.Optional(Name),
    args: Type.Optional(Type.Array(Text)),
    url: Type.Optional(Name),
    bearer_token: Type.Optional(Secret),
    verify_ssl: Type.Optional(Type.Boolean()),
    timeout: Type.Optional(Whole(1)),
  }),
  instructions: Type.Optional(Template),
  data_masking: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      pattern_groups: Type.Optional(Names),
      patterns: Type.Optional(Names),
      custom_patterns: Type.Optional(
        Type.Array(
          Type.Object({
            pattern: Type.Optional(Name),
            replacement: Type.Optional(Name),
            description: Type.Optional(Text),
          }),
        ),
      ),
    }),
  ),
  summarization: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      size_threshold_tokens: Type.Optional(Whole(0)),
      summary_max_token_limit: Type.Optional(Whole(0)),
    }),
  ),
});
export type McpServerEntry = Static<typeof McpServerEntry>;

const AgentEntry = Type.Object({
  mcp_servers: Type.Optional(Names),
  custom_instructions: Type.Optional(Template),
  iteration_strategy: Type.Optional(Strategy),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
});
export type AgentEntry = Static<typeof AgentEntry>;

const StageAgentEntry = Type.Object({
  name: Name,
  llm_provider: Type.Optional(Name),
  fallback_providers: Type.Optional(FallbackProviders),
  iteration_strategy: Type.Optional(Strategy),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
});
export type StageAgentEntry = Static<typeof StageAgentEntry>;

const SynthesisEntry = Type.Object({
  agent: Type.Optional(Name),
  iteration_strategy: Type.Optional(Strategy),
  llm_provider: Type.Optional(Name),
});

const StageEntry = Type.Object({
  name: Name,
  agents: Type.Array(StageAgentEntry, { minItems: 1 }),
  replicas: Type.Optional(Whole(0)),
  success_policy: Type.Optional(Type.Enum(SUCCESS_POLICIES)),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
  synthesis: Type.Optional(SynthesisEntry),
});
export type StageEntry = Static<typeof StageEntry>;

const ChatEntry = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  agent: Type.Optional(Name),
  iteration_strategy: Type.Optional(Strategy),
  llm_provider: Type.Optional(Name),
  mcp_servers: Type.Optional(Names),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
});
export type ChatEntry = Static<typeof ChatEntry>;

const ChainEntry = Type.Object({
  alert_types: Type.Array(Name, { minItems: 1 }),
  description: Type.Optional(Template),
  teams: Type.Optional(Names),
  stages: Type.Array(StageEntry, { minItems: 1 }),
  chat: Type.Optional(ChatEntry),
  llm_provider: Type.Optional(Name),
  fallback_providers: Type.Optional(FallbackProviders),
  max_iterations: Type.Optional(MaxIterations),
  iteration_timeout: Type.Optional(Duration),
  mcp_servers: Type.Optional(Names),
});
export type ChainEntry = Static<typeof ChainEntry>;

/** The shape of `tarsy.yaml`; `checks/` has the rules across entries. */
export const TarsyFile = Type.Object({
  queue: Type.Optional(QueueSection),
  defaults: Type.Optional(DefaultsSection),
  mcp_servers: Type.Optional(Type.Record(Type.String(), McpServerEntry)),
  agents: Type.Optional(Type.Record(Type.String(), AgentEntry)),
  agent_chains: Type.Optional(Type.Record(Type.String(), ChainEntry)),
});
export type TarsyFile = Static<typeof TarsyFile>;
