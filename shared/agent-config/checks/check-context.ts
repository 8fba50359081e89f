import type { Environment } from "#shared/service/environment.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type {
  AgentEntry,
  ChainEntry,
  McpServerEntry,
  TarsyFile,
} from "#shared/agent-config/schemas/tarsy-file.ts";

/** The input of the checks across entries: everything valid so far, merged over the built-ins. */
export interface CheckContext {
  readonly configDir: string;
  readonly env: Environment;
  readonly reporter: Reporter;
  /** The time by which models count as retired. */
  readonly now: Date;
  readonly tarsy: Loose<TarsyFile>;
  /** The names that references may use, those of invalid entries included; undefined where they are unknown. */
  readonly names: {
    readonly agents: ReadonlySet<string> | undefined;
    readonly mcpServers: ReadonlySet<string> | undefined;
    readonly llmProviders: ReadonlySet<string> | undefined;
    readonly skills: ReadonlySet<string> | undefined;
  };
  readonly agents: ReadonlyMap<string, Loose<AgentEntry>>;
  readonly chains: ReadonlyMap<string, Loose<ChainEntry>>;
  readonly mcpServers: ReadonlyMap<string, Loose<McpServerEntry>>;
  readonly llmProviders: ReadonlyMap<string, Loose<LlmProviderEntry>>;
  /** The default provider of a file that names none; undefined if no key is set. */
  readonly providerByKey: string | undefined;
}
