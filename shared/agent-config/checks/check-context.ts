import type { Environment } from "#shared/agent-config/config-environment.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";
import type {
  AgentEntry,
  ChainEntry,
  McpServerEntry,
  TarsyFile,
} from "#shared/agent-config/schemas/tarsy-file.ts";

/** What the checks across entries see: everything that is right so far, built-ins merged in. */
export interface CheckContext {
  readonly configDir: string;
  readonly env: Environment;
  readonly reporter: Reporter;
  readonly tarsy: Loose<TarsyFile>;
  /** What references may name, entries with mistakes included; undefined where that cannot be told. */
  readonly names: {
    readonly agents: ReadonlySet<string> | undefined;
    readonly mcpServers: ReadonlySet<string> | undefined;
    readonly llmProviders: ReadonlySet<string> | undefined;
  };
  readonly agents: ReadonlyMap<string, Loose<AgentEntry>>;
  readonly chains: ReadonlyMap<string, Loose<ChainEntry>>;
  readonly mcpServers: ReadonlyMap<string, Loose<McpServerEntry>>;
  readonly llmProviders: ReadonlyMap<string, Loose<LlmProviderEntry>>;
}
