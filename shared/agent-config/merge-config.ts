import type { Origin } from "#shared/agent-config/agent-config.ts";
import { expandTemplates } from "#shared/agent-config/expand-templates.ts";
import type { Environment } from "#shared/agent-config/config-environment.ts";
import { BUILT_IN_AGENTS } from "#shared/agent-config/built-in/agents.ts";
import { BUILT_IN_CHAINS } from "#shared/agent-config/built-in/chains.ts";
import { BUILT_IN_LLM_PROVIDERS } from "#shared/agent-config/built-in/llm-providers.ts";
import { BUILT_IN_MCP_SERVERS } from "#shared/agent-config/built-in/mcp-servers.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { AgentEntry, ChainEntry, McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Built-in and written entries by name; a written one replaces the built-in of the same name whole. */
export function mergeEntries<Entry, Written>(
  builtIn: ReadonlyMap<string, Entry>,
  written: Readonly<Record<string, Written | undefined>> | undefined,
): Map<string, Entry | Written> {
  const merged = new Map<string, Entry | Written>(builtIn);
  for (const [name, entry] of Object.entries(written ?? {})) {
    if (entry !== undefined) merged.set(name, entry);
  }
  return merged;
}

/** The built-in definitions with their templates expanded. */
export interface BuiltIns {
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly chains: ReadonlyMap<string, ChainEntry>;
  readonly mcpServers: ReadonlyMap<string, McpServerEntry>;
  readonly llmProviders: ReadonlyMap<string, LlmProviderEntry>;
  /** Of values with variables inserted, by path. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Makes the built-in definitions for an environment. */
export function makeBuiltIns(env: Environment): BuiltIns {
  const origins = new Map<string, Origin>();
  const expand = (text: string, path: string) => {
    const expanded = expandTemplates("built-in", text, env, () => {});
    if (expanded === undefined) return text;
    const variables = expanded.variablesIn(0, expanded.text.length);
    if (variables.length > 0) origins.set(path, { file: "built-in", variables });
    return expanded.text;
  };
  const servers = Object.entries(BUILT_IN_MCP_SERVERS).map(([id, server]): [string, McpServerEntry] => {
    const args = server.transport.args?.map((arg, at) =>
      expand(arg, `mcp_servers.${id}.transport.args[${at}]`),
    );
    if (args === undefined) return [id, server];
    return [id, Object.assign({}, server, { transport: { ...server.transport, args } })];
  });
  return {
    agents: new Map(Object.entries(BUILT_IN_AGENTS)),
    chains: new Map(Object.entries(BUILT_IN_CHAINS)),
    mcpServers: new Map(servers),
    llmProviders: new Map(Object.entries(BUILT_IN_LLM_PROVIDERS)),
    origins,
  };
}
