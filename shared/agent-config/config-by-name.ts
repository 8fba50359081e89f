import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { goDuration } from "#shared/agent-config/go-duration.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Entry = Type.Object({}, { additionalProperties: true });
const Entries = Type.Record(Type.String(), Entry);
const parseEffective = compileParser(
  "effective configuration",
  Type.Object({
    system: Entry,
    mcp_servers: Type.Record(
      Type.String(),
      Type.Object({ transport: Entry }, { additionalProperties: true }),
    ),
    agents: Entries,
    agent_chains: Entries,
    llm_providers: Entries,
  }),
);

/**
 * The effective configuration in the contract's shape: maps by name, durations as Go writes them, secrets redacted; of what
 * servers are given as variables and headers only the names, of providers the names of variables and never their values.
 */
export function configByName(config: AgentConfig): object {
  const { system, agents, agent_chains, mcp_servers, llm_providers } = parseEffective(
    effectiveConfig(config),
  );
  return {
    defaults: withGoDurations(config.defaults),
    queue: withGoDurations(config.queue),
    system: { allowed_ws_origins: [], ...system },
    agents: mapEntries(agents, (agent) => ({
      custom_instructions: "",
      orchestrator: null,
      skills: null,
      ...agent,
    })),
    chains: agent_chains,
    mcp_servers: mapEntries(mcp_servers, (server, id) => ({
      ...server,
      transport: transportOf(server.transport, config.mcpServers.get(id)?.transport),
    })),
    llm_providers: mapEntries(llm_providers, (provider) => without(provider, ["project", "location"])),
    skills: Object.fromEntries(
      [...config.skills].map(([name, { description }]) => [name, { name, description }]),
    ),
  };
}

function transportOf(shown: object, transport: McpServerEntry["transport"] | undefined): object {
  const { env, custom_headers, bearer_token } = transport ?? {};
  return {
    ...without(shown, ["env", "custom_headers", "bearer_token"]),
    ...(env === undefined ? {} : { env_keys: Object.keys(env) }),
    ...(custom_headers === undefined ? {} : { header_keys: Object.keys(custom_headers) }),
    bearer_token_set: bearer_token !== undefined,
  };
}

function mapEntries<T, R>(
  entries: Readonly<Record<string, T>>,
  map: (entry: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, map(entry, name)]));
}

function without(entry: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/** Members `X_ms` become durations `X`. */
function withGoDurations(settings: object): object {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]): [string, unknown] =>
      key.endsWith("_ms") ? [key.slice(0, -"_ms".length), goDuration(Number(value))] : [key, value],
    ),
  );
}
