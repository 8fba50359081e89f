import { GENERAL_INSTRUCTIONS, dataRule } from "./general-instructions.ts";
import type { PromptInput } from "./prompt-input.ts";
import type { SessionNonce } from "./session-nonce.ts";

/**
 * An agent's instructions in three tiers: general ones by purpose, those of its MCP servers in the agent's order, and
 * its own. Empty instructions are omitted. A synthesis calls no tools, so it gets no server instructions.
 */
export function instructionTiers(
  purpose: keyof typeof GENERAL_INSTRUCTIONS,
  { agent, chain, nonce }: Pick<PromptInput, "agent" | "chain"> & { readonly nonce: SessionNonce },
): string[] {
  const servers = purpose === "synthesis" ? [] : agent.mcp_servers;
  return [
    GENERAL_INSTRUCTIONS[purpose],
    dataRule(nonce),
    ...servers.flatMap((id) => section(`## ${id} Instructions`, serverInstructions(chain, id))),
    ...agentInstructions(agent),
  ];
}

/** Only the last tier; empty for an agent without custom instructions. */
export function agentInstructions({
  custom_instructions,
}: Pick<PromptInput["agent"], "custom_instructions">) {
  return section("## Agent-Specific Instructions", custom_instructions);
}

function serverInstructions({ mcp_server_instructions }: PromptInput["chain"], id: string): string {
  // Without hasOwn, a server named "constructor" would find the inherited property.
  return Object.hasOwn(mcp_server_instructions, id) ? (mcp_server_instructions[id] ?? "") : "";
}

function section(heading: string, text: string): string[] {
  const trimmed = text.trim();
  return trimmed === "" ? [] : [`${heading}\n\n${trimmed}`];
}
