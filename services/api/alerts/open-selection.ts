import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resultTokensOf } from "#shared/agent-config/resolve-chain.ts";
import { summariesOf } from "#shared/agent-config/summaries-of.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { McpSelection } from "./contract.ts";
import { applyMcpSelection } from "./apply-mcp-selection.ts";

/** Returns what applies an alert's MCP selection to a chain (`applyMcpSelection`), with what the configuration says of each server. */
export function openSelection(
  agents: AgentConfig,
): (chain: ResolvedChain, selection: McpSelection) => ResolvedChain {
  const instructions = new Map([...agents.mcpServers].map(([id, server]) => [id, server.instructions ?? ""]));
  const resultTokens = new Map(
    [...agents.mcpServers].flatMap(([id, server]) => {
      const tokens = resultTokensOf(server);
      return tokens === undefined ? [] : [[id, tokens] as const];
    }),
  );
  const summaries = new Map(
    [...agents.mcpServers.keys()].flatMap((id) => {
      const ofServer = summariesOf(agents, id);
      return ofServer === undefined ? [] : [[id, ofServer] as const];
    }),
  );
  return (chain, selection) => applyMcpSelection(chain, selection, instructions, resultTokens, summaries);
}
