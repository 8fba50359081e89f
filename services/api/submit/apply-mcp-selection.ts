import {
  withVariables,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
} from "#shared/contracts/resolved-chain.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { McpSelection } from "./alert-request.ts";

/**
 * Applies an alert's MCP selection to a chain: the selected servers replace those of every agent, a server with named
 * tools offers only these, and native tools are switched as the alert says. `instructions` has the text of every
 * configured server, by id.
 */
export function applyMcpSelection(
  chain: ResolvedChain,
  selection: McpSelection,
  instructions: ReadonlyMap<string, string>,
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
  const adapt = ({ fallback_providers, ...agent }: ResolvedAgent): ResolvedAgent => ({
    ...agent,
    ...(servers.length === 0 ? {} : { mcp_servers: servers, tool_choice: Object.fromEntries(choices) }),
    llm_provider: adaptProvider(agent.llm_provider),
    ...(fallback_providers === undefined
      ? {}
      : { fallback_providers: fallback_providers.map(adaptProvider) }),
  });
  const chosen = servers.flatMap((id) => {
    const text = instructions.get(id);
    return text === undefined || text === "" ? [] : [[id, text] as const];
  });
  return withVariables({
    ...chain,
    mcp_server_instructions: { ...chain.mcp_server_instructions, ...Object.fromEntries(chosen) },
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map(adapt),
      ...(stage.synthesis === undefined ? {} : { synthesis: adapt(stage.synthesis) }),
    })),
  });
}
