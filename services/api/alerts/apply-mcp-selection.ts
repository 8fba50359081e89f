import {
  withVariables,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
  type ResolvedSummaries,
} from "#shared/contracts/resolved-chain.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { McpSelection } from "./contract.ts";

/**
 * Applies an alert's MCP selection to a chain: the selected servers replace those of every agent, a server with named
 * tools offers only these, and native tools are switched as the alert says. `instructions` has the text of every
 * configured server, by id, `resultTokens` the size of results that it sets, and `summaries` how they are summarized.
 */
export function applyMcpSelection(
  chain: ResolvedChain,
  selection: McpSelection,
  instructions: ReadonlyMap<string, string>,
  resultTokens: ReadonlyMap<string, number> = new Map(),
  summaries: ReadonlyMap<string, ResolvedSummaries> = new Map(),
): ResolvedChain {
  const servers = selection.servers.map(({ name }) => name);
  const choices = selection.servers.flatMap(({ name, tools }) =>
    tools === undefined || tools === null
      ? []
      : [[name, tools.map((tool) => postgresSafeText(tool).text)] as const],
  );
  const native = Object.entries(selection.native_tools ?? {}).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === "boolean",
  );
  const adaptProvider = (provider: ResolvedProvider): ResolvedProvider => ({
    ...provider,
    native_tools: { ...provider.native_tools, ...Object.fromEntries(native) },
  });
  const adaptOwn = <A extends Omit<ResolvedAgent, "sub_agents">>({ fallback_providers, ...agent }: A) => ({
    ...agent,
    ...(servers.length === 0 ? {} : { mcp_servers: servers, tool_choice: Object.fromEntries(choices) }),
    llm_provider: adaptProvider(agent.llm_provider),
    ...(fallback_providers === undefined
      ? {}
      : { fallback_providers: fallback_providers.map(adaptProvider) }),
  });
  const adapt = ({ sub_agents, ...agent }: ResolvedAgent): ResolvedAgent => ({
    ...adaptOwn(agent),
    ...(sub_agents === undefined ? {} : { sub_agents: sub_agents.map(adaptOwn) }),
  });
  const chosen = servers.flatMap((id) => {
    const text = instructions.get(id);
    return text === undefined || text === "" ? [] : [[id, text] as const];
  });
  const sizes = selected(servers, resultTokens);
  const summarized = selected(servers, summaries);
  return withVariables({
    ...chain,
    ...(sizes.length === 0
      ? {}
      : { mcp_server_result_tokens: { ...chain.mcp_server_result_tokens, ...Object.fromEntries(sizes) } }),
    ...(summarized.length === 0
      ? {}
      : { mcp_server_summaries: { ...chain.mcp_server_summaries, ...Object.fromEntries(summarized) } }),
    mcp_server_instructions: { ...chain.mcp_server_instructions, ...Object.fromEntries(chosen) },
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map(adapt),
      ...(stage.synthesis === undefined ? {} : { synthesis: adapt(stage.synthesis) }),
    })),
  });
}

/** What is known of each of these servers. */
function selected<T>(servers: readonly string[], known: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return servers.flatMap((id) => {
    const value = known.get(id);
    return value === undefined ? [] : [[id, value] as const];
  });
}
