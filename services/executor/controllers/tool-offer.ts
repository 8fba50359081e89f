import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ServerOffer } from "../prompts/prompt-input.ts";
import { LOAD_SKILL, SUB_AGENT_TOOLS } from "./built-in-tools.ts";
import type { ServerListing } from "../state/agent-memory.ts";

/** What an agent's servers offer to it, by their listings. */
interface ToolOffer extends ServerOffer {
  /** By server in the agent's order, so that a resumed prompt is the same; the built-in tools last. */
  readonly tools: readonly ToolDescription[];
}

/** The offer of an agent's servers; null before all of them are listed. */
export function toolOffer(
  {
    mcp_servers: servers,
    tool_choice = {},
    skills = [],
    sub_agents: subAgents = [],
  }: Pick<ResolvedAgent, "mcp_servers" | "tool_choice" | "skills" | "sub_agents">,
  listings: ReadonlyMap<string, ServerListing>,
): ToolOffer | null {
  const wanted = [...new Set(servers)];
  const listed = wanted.flatMap((server) => {
    const listing = listings.get(server);
    return listing === undefined ? [] : [{ server, ...listing }];
  });
  if (listed.length < wanted.length) return null;
  const chosen = (server: string) => (Object.hasOwn(tool_choice, server) ? (tool_choice[server] ?? []) : []);
  return {
    tools: [
      ...listed.flatMap(({ tools }) => tools),
      ...(listings.get(BUILT_IN_SERVER)?.tools ?? []),
      ...(skills.length === 0 ? [] : [LOAD_SKILL]),
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
