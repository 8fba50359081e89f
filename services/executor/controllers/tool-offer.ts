import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { TOOL_STRATEGIES, type ResolvedAgent, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ServerOffer } from "../prompts/prompt-input.ts";
import { BUILT_IN_TOOLS, LOAD_SKILL, MEMORY_TOOLS, SUB_AGENT_TOOLS } from "./built-in-tools.ts";
import type { ServerListing } from "../state/agent-memory.ts";

/** The offer of an agent's servers to it, by their listings. */
interface ToolOffer extends ServerOffer {
  /** By server in the agent's order, so that a resumed prompt is the same; the built-in tools last. */
  readonly tools: readonly ToolDescription[];
}

/** The offer of an agent's servers, and the built-in tools that its configuration gives it; null before all of them are listed. */
export function toolOffer(
  agent: Pick<ResolvedAgent, "iteration_strategy" | "mcp_servers" | "tool_choice" | "skills" | "sub_agents">,
  { memory }: Pick<ResolvedChain, "memory">,
  listings: ReadonlyMap<string, ServerListing>,
): ToolOffer | null {
  const { mcp_servers: servers, tool_choice = {}, skills = [], sub_agents: subAgents = [] } = agent;
  const wanted = [...new Set(servers)];
  const listed = wanted.flatMap((server) => {
    const listing = listings.get(server);
    return listing === undefined ? [] : [{ server, ...listing }];
  });
  if (listed.length < wanted.length) return null;
  const chosen = (server: string) => (Object.hasOwn(tool_choice, server) ? (tool_choice[server] ?? []) : []);
  const remembers =
    memory !== undefined && TOOL_STRATEGIES.some((strategy) => strategy === agent.iteration_strategy);
  return {
    tools: [
      ...listed.flatMap(({ tools }) => tools),
      // What the tools of memories find may be large, too.
      ...(listings.get(BUILT_IN_SERVER)?.tools ?? (remembers ? BUILT_IN_TOOLS : [])),
      ...(skills.length === 0 ? [] : [LOAD_SKILL]),
      ...(remembers ? MEMORY_TOOLS : []),
      ...(subAgents.length === 0 ? [] : SUB_AGENT_TOOLS),
    ],
    servers: listed.filter(({ tools }) => tools.length > 0).map(({ server }) => server),
    unavailable: listed.flatMap(({ server, failure }) =>
      failure === null ? [] : [{ server, reason: failure }],
    ),
    missing: listed
      .filter(({ failure }) => failure === null)
      .flatMap(({ server, tools }) =>
        chosen(server)
          .map((name) => `${server}.${name}`)
          .filter((name) => !tools.some((tool) => tool.name === name)),
      ),
  };
}
