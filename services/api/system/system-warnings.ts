import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { providersOfChain } from "#shared/agent-config/providers-of-chain.ts";
import { retirementNotice } from "#shared/pricing/retirement-of.ts";
import { describeRefusal, type RefusedSince } from "../stream-watch.ts";
import type { ServerState } from "./server-states.ts";
import { summarizeServer, type ServerSummary } from "./summarize-server.ts";
import { stubbedAgents, agentsFor, chosenServers } from "#shared/agent-config/used-servers.ts";

/** Something that an operator should look at. The id is the same as long as the reason is. */
export interface SystemWarning {
  readonly id: string;
  readonly category: "mcp_health" | "mcp_configuration" | "mcp_effects" | "llm" | "notifications" | "queue";
  readonly message: string;
  readonly details: string;
  readonly server_id?: string;
  /** RFC 3339. */
  readonly created_at: string;
}

const MAX_NAMES = 10;

interface Installation {
  readonly agents: AgentConfig;
  readonly stubbedServers: ReadonlySet<string>;
  readonly states: readonly ServerState[];
  /** Stands where nothing else says since when. */
  readonly startedAt: string;
  /** The time by which models count as retired. */
  readonly now: Date;
}

/** One warning for each stream that takes no message. */
export function queueWarnings(refused: readonly RefusedSince[]): readonly SystemWarning[] {
  return refused.map(({ stream, why, since }) => ({
    id: `queue:${stream}`,
    category: "queue",
    message: `the stream ${stream} refuses messages`,
    details: describeRefusal({ stream, why }),
    created_at: since.toISOString(),
  }));
}

/** The warnings of an installation, by server. */
export function systemWarnings({
  agents,
  stubbedServers,
  states,
  startedAt,
  now,
}: Installation): readonly SystemWarning[] {
  const used = chosenServers(agents);
  const ids = [...new Set(states.map(({ server }) => server))].sort();
  return [
    ...scriptedModel(agents, startedAt),
    ...retiringModels(agents, now),
    ...stubsOfRealModels(agents, stubbedServers, startedAt),
    ...examples(agents, used, startedAt),
    ...(states.length === 0 && used.size > 0 ? [noRunner(startedAt)] : []),
    ...ids.flatMap((id) => {
      const rows = states.filter(({ server }) => server === id);
      return [
        ...health(id, summarizeServer(rows, used.has(id)), rows.length),
        ...leftOut(id, rows),
        ...effects(id, rows),
      ];
    }),
  ];
}

function scriptedModel(agents: AgentConfig, created_at: string): SystemWarning[] {
  const members = knownAlertTypes(agents).flatMap((alertType) => agentsFor(agents, alertType));
  const names = new Set(
    members.flatMap(({ llm_provider: { type, name } }) => (type === "scripted" ? [name] : [])),
  );
  if (names.size === 0) return [];
  return [
    {
      id: "llm:scripted",
      category: "llm",
      message: "demo mode: no LLM is configured, a script answers",
      details: `Providers of type scripted: ${listed([...names])}. Set the key of an LLM provider, such as GOOGLE_API_KEY, or name another provider.`,
      created_at,
    },
  ];
}

/** The models that retire within 60 days or have retired, of the providers that chains or the defaults name. */
function retiringModels(agents: AgentConfig, now: Date): SystemWarning[] {
  const used = [...agents.chains.keys()].flatMap((id) => [...providersOfChain(agents, id).keys()]);
  const names = new Set([...used, agents.defaults.llm_provider ?? ""]);
  return [...names].sort().flatMap((name) => {
    const provider = agents.llmProviders.get(name);
    const notice = provider && retirementNotice(provider, now);
    if (provider === undefined || notice === undefined) return [];
    const { says, since, successor = "another model" } = notice;
    return [
      {
        id: `llm:${name}:retirement`,
        category: "llm",
        message: `model ${provider.model} of LLM provider ${name} ${says}`,
        details: `Change the entry ${name} in llm-providers.yaml to ${successor}, then restart the services.`,
        created_at: since.toISOString(),
      },
    ];
  });
}

function stubsOfRealModels(
  agents: AgentConfig,
  stubs: ReadonlySet<string>,
  created_at: string,
): SystemWarning[] {
  const members = knownAlertTypes(agents).flatMap((alertType) => agentsFor(agents, alertType));
  const found = stubbedAgents(members, stubs);
  return [...new Set(found.flatMap(({ servers }) => servers))].sort().map((id) => ({
    id: `mcp_configuration:${id}:stubs`,
    category: "mcp_configuration",
    message: `stub-tools.yaml answers for MCP server ${id}, while a real model reads its results`,
    details: `Agents: ${listed([...new Set(found.filter(({ servers }) => servers.includes(id)).map(({ agent }) => agent))])}. Remove the server from stub-tools.yaml for real investigations.`,
    server_id: id,
    created_at,
  }));
}

function examples(
  { mcpServers }: AgentConfig,
  used: ReadonlySet<string>,
  created_at: string,
): SystemWarning[] {
  return [...used].sort().flatMap((id) => {
    const { example } = mcpServers.get(id) ?? {};
    if (example === undefined) return [];
    return [
      {
        id: `mcp_configuration:${id}:example`,
        category: "mcp_configuration" as const,
        message: `MCP server ${id} answers from examples`,
        details: example,
        server_id: id,
        created_at,
      },
    ];
  });
}

function noRunner(created_at: string): SystemWarning {
  return {
    id: "mcp_health:no-runner",
    category: "mcp_health",
    message: "no tool-runner is running",
    details: "Agents with MCP servers wait until one starts. The state of the servers is unknown.",
    created_at,
  };
}

function health(id: string, { state, failing }: ServerSummary, runners: number): SystemWarning[] {
  const [first] = failing;
  if (first === undefined) return [];
  const isSetting = state === "misconfigured";
  const where = failing.length === runners ? "" : ` on ${failing.length} of ${runners} tool-runners`;
  const what = {
    degraded: "fails from time to time",
    down: "cannot be used",
    misconfigured: "is misconfigured",
  };
  const says =
    state === "down" || state === "misconfigured" ? what[state] : where === "" ? what.degraded : what.down;
  return [
    {
      id: `${isSetting ? "mcp_configuration" : "mcp_health"}:${id}`,
      category: isSetting ? "mcp_configuration" : "mcp_health",
      message: `MCP server ${id} ${says}${where}`,
      details: first.error ?? "",
      server_id: id,
      created_at: failing.reduce((oldest, { since }) => (since < oldest ? since : oldest), first.since),
    },
  ];
}

function leftOut(id: string, rows: readonly ServerState[]): SystemWarning[] {
  const found = rows.find(({ error_code }) => error_code === "tools_left_out");
  if (found === undefined) return [];
  return [
    {
      id: `mcp_configuration:${id}:tools`,
      category: "mcp_configuration",
      message: `some tools of MCP server ${id} are not offered`,
      details: found.error ?? "",
      server_id: id,
      created_at: found.since,
    },
  ];
}

function effects(id: string, rows: readonly ServerState[]): SystemWarning[] {
  const unknown = rows.flatMap(({ tools }) =>
    tools.flatMap(({ name, effect_known, needs_approval }) =>
      // A person decides about each call of such a tool, whatever it does.
      effect_known === false && needs_approval !== true ? [name] : [],
    ),
  );
  const names = [...new Set(unknown)];
  const [first] = rows;
  if (names.length === 0 || first === undefined) return [];
  return [
    {
      id: `mcp_effects:${id}`,
      category: "mcp_effects",
      message: `${names.length === 1 ? "1 tool" : `${names.length} tools`} of MCP server ${id} without a declared effect`,
      details: `Treated as writing: ${listed(names)}. List them in tools.read_only, tools.idempotent or tools.destructive, or set trust_annotations.`,
      server_id: id,
      created_at: rows.reduce((oldest, { since }) => (since < oldest ? since : oldest), first.since),
    },
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
