import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { describeAgent } from "#shared/agent-config/built-in-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { PRICE_SNAPSHOT } from "#shared/pricing/price-snapshot.ts";

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
 * The effective configuration in the contract's shape, of what `effectiveConfig` makes of it: maps by name, durations as Go writes them,
 * secrets redacted; of what servers are given as variables and headers only the names, of providers the names of variables and never
 * their values. `now` decides about promotions.
 */
export function configByName(config: AgentConfig, effective: unknown, now: Date): object {
  const { system, agents, agent_chains, mcp_servers, llm_providers } = parseEffective(effective);
  const defaults = withGoDurations(config.defaults);
  return {
    defaults: withBackends(defaults, config),
    queue: withGoDurations(config.queue),
    system: {
      allowed_ws_origins: [],
      ...system,
      ...switched(system, "slack", false),
      cost_estimation: costView(config, now),
    },
    agents: mapEntries(agents, (agent, name) => ({
      custom_instructions: "",
      orchestrator: null,
      skills: null,
      ...agent,
      ...descriptionOf(name, config),
    })),
    chains: mapEntries(agent_chains, (chain) => ({
      ...withBackends(chain, config),
      ...switched(chain, "chat", true),
      ...switched(chain, "scoring", false),
    })),
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

/** A section that says whether it is switched on also where the file does not; nothing without the section. */
function switched(container: object, key: string, isByDefault: boolean): object {
  const section: unknown = Reflect.get(container, key);
  return typeof section === "object" && section !== null
    ? { [key]: { enabled: isByDefault, ...section } }
    : {};
}

function descriptionOf(name: string, { agents }: Pick<AgentConfig, "agents">): object {
  const description = describeAgent(name, agents.get(name));
  return description === "" ? {} : { description };
}

/** Fills in the backends of fallback providers that name none, at every level. */
function withBackends(value: object, config: Pick<AgentConfig, "llmProviders">): object {
  const fill = (inner: unknown, key: string): unknown => {
    if (Array.isArray(inner)) return inner.map((item: unknown) => fill(item, key));
    if (typeof inner !== "object" || inner === null) return inner;
    const entries = Object.entries(inner).map(([name, member]): [string, unknown] => [
      name,
      fill(member, name),
    ]);
    const filled = Object.fromEntries(entries);
    const { provider } = filled;
    if (key !== "fallback_providers" || typeof provider !== "string") return filled;
    return { backend: resolveProvider(config, provider, {}).backend, ...filled };
  };
  return {
    ...value,
    ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, key)])),
  };
}

function transportOf(shown: object, transport: McpServerEntry["transport"] | undefined): object {
  const { env, custom_headers, bearer_token } = transport ?? {};
  return {
    ...without(shown, ["env", "custom_headers", "bearer_token"]),
    ...(env === undefined ? {} : { env_keys: Object.keys(env) }),
    ...(custom_headers === undefined ? {} : { custom_header_keys: Object.keys(custom_headers) }),
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

/** The prices come with the version and are never fetched. */
const CATALOG = {
  source: "snapshot",
  entry_count: Object.values(PRICE_SNAPSHOT.families).reduce(
    (count, { models }) => count + Object.keys(models).length,
    0,
  ),
} as const;

/**
 * The prices of calls, in the contract's shape: the written prices by model, the promotions with their state at `now`, and the list
 * that the other prices come from.
 */
function costView(config: Pick<AgentConfig, "system">, now: Date): object {
  const { enabled, model_rates = {} } = config.system.cost_estimation;
  const { promotions } = costEstimationOf(config);
  return {
    enabled,
    model_rates,
    promotions: promotions.map(({ startMs, endMs, ...rates }) => ({
      ...rates,
      ...(startMs === undefined ? {} : { start: new Date(startMs).toISOString() }),
      ...(endMs === undefined ? {} : { end: new Date(endMs).toISOString() }),
      status: stateAt(startMs ?? -Infinity, endMs ?? Infinity, now.getTime()),
    })),
    catalog: CATALOG,
  };
}

function stateAt(startMs: number, endMs: number, ms: number): "active" | "upcoming" | "expired" {
  if (ms < startMs) return "upcoming";
  return ms < endMs ? "active" : "expired";
}

/** A duration of `ms` milliseconds as programs in Go write it, such as `15m0s`, `1.5s` or `500ms`. */
function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1_000) return `${ms}ms`;
  const seconds = `${(ms % 60_000) / 1_000}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}
