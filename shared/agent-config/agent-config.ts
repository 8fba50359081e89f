import type { SuccessPolicy } from "#shared/contracts/statuses.ts";
import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import type {
  AgentEntry,
  ChainEntry,
  FallbackEntry,
  McpServerEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";

/** Queue settings in force; durations in milliseconds. */
export interface QueueSettings {
  /** Sessions one executor runs at a time. */
  readonly worker_count: number;
  /** Sessions all executors together run at a time. */
  readonly max_concurrent_sessions: number;
  /** Agents of one stage that run at a time. */
  readonly max_parallel_agents: number;
  /** The session's deadline, counted from `started_at`. */
  readonly session_timeout_ms: number;
}

/** Settings that apply where no nearer level sets them; durations in milliseconds. */
export interface DefaultSettings {
  readonly alert_type: string;
  readonly runbook: string;
  readonly success_policy: SuccessPolicy;
  readonly max_iterations: number;
  readonly iteration_timeout_ms: number;
  readonly llm_provider?: string;
  readonly fallback_providers?: readonly FallbackEntry[];
  readonly iteration_strategy?: IterationStrategy;
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
  /** The file, or `built-in` for a built-in value with variables inserted; then there is no line. */
  readonly file: string;
  readonly line?: number;
  /** Environment variables inserted into the value. */
  readonly variables: readonly string[];
}

/** The effective configuration: built-ins and files merged, expanded and checked. It never changes. */
export interface AgentConfig {
  readonly configDir: string;
  readonly queue: QueueSettings;
  readonly defaults: DefaultSettings;
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly chains: ReadonlyMap<string, ChainEntry>;
  readonly mcpServers: ReadonlyMap<string, McpServerEntry>;
  readonly llmProviders: ReadonlyMap<string, LlmProvider>;
  /** Chain id by alert type. */
  readonly alertTypes: ReadonlyMap<string, string>;
  readonly warnings: readonly ConfigProblem[];
  readonly counts: {
    readonly agents: number;
    readonly chains: number;
    readonly mcpServers: number;
    readonly llmProviders: number;
  };
  /** By path (`agents.x.max_iterations`); a value without an origin is built in. */
  readonly origins: ReadonlyMap<string, Origin>;
}
