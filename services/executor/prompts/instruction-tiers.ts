import { GENERAL_INSTRUCTIONS } from "./general-instructions.ts";
import type { PromptInput } from "./prompt-input.ts";

/**
 * How an agent was told to work, from the general to the particular: by what it is there for, by MCP server in the
 * agent's order, by its own configuration. Servers and agents without instructions are left out. A synthesis calls no
 * tools, so it gets no server's instructions.
 */
export function instructionTiers(
  purpose: keyof typeof GENERAL_INSTRUCTIONS,
  { agent, chain }: Pick<PromptInput, "agent" | "chain">,
): string[] {
  const servers = purpose === "synthesis" ? [] : agent.mcp_servers;
  return [
    GENERAL_INSTRUCTIONS[purpose],
    ...servers.flatMap((id) => section(`## ${id} Instructions`, serverInstructions(chain, id))),
    ...agentInstructions(agent),
  ];
}

/** The last tier alone; empty for an agent without instructions of its own. */
export function agentInstructions({
  custom_instructions,
}: Pick<PromptInput["agent"], "custom_instructions">) {
  return section("## Agent-Specific Instructions", custom_instructions);
}

function serverInstructions({ mcp_server_instructions }: PromptInput["chain"], id: string): string {
  // A server may be called "constructor".
  return Object.hasOwn(mcp_server_instructions, id) ? (mcp_server_instructions[id] ?? "") : "";
}

function section(heading: string, text: string): string[] {
  const trimmed = text.trim();
  return trimmed === "" ? [] : [`${heading}\n\n${trimmed}`];
}
