import type { SuccessPolicy } from "#shared/contracts/statuses.ts";
import type { IterationStrategy, LlmBackend } from "#shared/contracts/resolved-chain.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import type {
  AgentEntry,
  ChainEntry,
  ConclusionContract,
  DefaultsSection,
  FallbackEntry,
  McpServerEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import type { EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import type { OrchestratorEntry } from "#shared/agent-config/schemas/sub-agents.ts";
import type { Holiday, SystemSection } from "#shared/agent-config/schemas/system-section.ts";
import type { CostSection } from "#shared/agent-config/schemas/cost-section.ts";
import type { AcceptedDefinitions } from "#shared/agent-config/tool-rules.ts";
import type { Skill } from "#shared/agent-config/skills/skill.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";

/** Queue settings in force; durations in milliseconds. */
export interface QueueSettings {
  /** Sessions one executor runs at a time. */
  readonly worker_count: number;
  /** Sessions all executors together run at a time. */
  readonly max_concurrent_sessions: number;
  /** Follow-ups, such as the answers of chats, that all executors together run at a time; no sessions are counted. */
  readonly max_concurrent_followups: number;
  /** Agents of one stage that run at a time. */
  readonly max_parallel_agents: number;
  /** The session's deadline, counted from `started_at`. */
  readonly session_timeout_ms: number;
  /** Those below are only shown: they have no effect. */
  readonly poll_interval_ms: number;
  readonly poll_interval_jitter_ms: number;
  readonly graceful_shutdown_timeout_ms: number;
  readonly scoring_shutdown_timeout_ms: number;
  readonly orphan_detection_interval_ms: number;
  readonly orphan_threshold_ms: number;
  readonly heartbeat_interval_ms: number;
}

/** Settings of the whole system, with the keys of the file. */
interface SystemSettings extends Omit<SystemSection, "holidays"> {
  readonly cost_estimation: CostSection & { readonly enabled: boolean };
  readonly holidays: readonly Holiday[];
}

/** The treatment of tools with an unknown effect. */
type ToolPolicy = NonNullable<DefaultsSection["tool_policy"]>;

/** Settings that apply where no nearer level sets them; durations in milliseconds. */
export interface DefaultSettings {
  readonly alert_type: string;
  readonly runbook: string;
  readonly success_policy: SuccessPolicy;
  readonly max_iterations: number;
  readonly iteration_timeout_ms: number;
  /** The time for which a tool call waits for a person. */
  readonly approval_timeout_ms: number;
  readonly tool_policy?: ToolPolicy;
  readonly conclusion?: ConclusionContract;
  readonly llm_provider?: string;
  readonly llm_backend?: LlmBackend;
  /** The provider of executive summaries; absent for the provider of the chain's last execution. */
  readonly executive_summary_provider?: string;
  readonly fallback_providers?: readonly FallbackEntry[];
  readonly iteration_strategy?: IterationStrategy;
  /** The provider of the summaries of large tool results; absent for each agent's own provider. */
  readonly summarization?: NonNullable<DefaultsSection["summarization"]>;
  /** The settings of scoring and its judge, for chains without a setting of their own. */
  readonly scoring?: NonNullable<DefaultsSection["scoring"]>;
  /** The budgets of every session whose chain sets no budget of its own. */
  readonly budgets?: NonNullable<DefaultsSection["budgets"]>;
  readonly memory: {
    readonly enabled: boolean;
    /** The memories that an agent gets at its start. */
    readonly max_inject: number;
    /** The memories that are shown when new ones are written. */
    readonly reflector_memory_limit: number;
    /** Absent: memories are found by their words alone. */
    readonly embedding?: EmbeddingSettings;
  };
  /** The limits of agents that start sub-agents, as written. */
  readonly orchestrator?: OrchestratorEntry;
  readonly alert_masking: { readonly enabled: boolean; readonly pattern_group: string };
}

/** A provider with the values of those of its environment variables that are not secret. */
export interface LlmProvider extends LlmProviderEntry {
  readonly model: string;
  readonly max_tool_result_tokens: number;
  readonly project?: string;
  readonly location?: string;
}

/** The place a value of the effective configuration comes from. */
export interface Origin {
  /** The file, or where a built-in value comes from: one with variables inserted, or an unusual one. Then there is no line. */
  readonly file: string;
  readonly line?: number;
  /** Environment variables inserted into the value. */
  readonly variables: readonly string[];
}

/** The effective configuration: built-ins and files merged, expanded and checked. It never changes. */
export interface AgentConfig {
  readonly configDir: string;
  /** The settings as written. */
  readonly queue: QueueSettings;
  readonly system: SystemSettings;
  readonly defaults: DefaultSettings;
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly chains: ReadonlyMap<string, ChainEntry>;
  readonly mcpServers: ReadonlyMap<string, McpServerEntry>;
  /** The accepted definitions of the tools of servers with a pack, by server id. */
  readonly packDefinitions: ReadonlyMap<string, AcceptedDefinitions>;
  readonly llmProviders: ReadonlyMap<string, LlmProvider>;
  /** Keyed by name. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Chain id by alert type. */
  readonly alertTypes: ReadonlyMap<string, string>;
  readonly warnings: readonly ConfigProblem[];
  readonly counts: {
    readonly agents: number;
    readonly chains: number;
    readonly mcpServers: number;
    readonly llmProviders: number;
  };
  /** Keyed by path (`agents.x.max_iterations`); a value without an origin is built in. */
  readonly origins: ReadonlyMap<string, Origin>;
}
