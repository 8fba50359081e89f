import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import { ACTION_RULES } from "./action-rules.ts";
import { GENERAL_INSTRUCTIONS, dataRule } from "./general-instructions.ts";
import type { PromptInput, ServerOffer } from "./prompt-input.ts";
import { skillSections } from "./skill-sections.ts";
import { subAgentSections } from "./sub-agent-sections.ts";
import { type SessionNonce, frame, oneLine } from "./untrusted-text.ts";

/**
 * An agent's instructions in three tiers: general ones by purpose (with the rules of an agent that may act), those of its
 * MCP servers in the agent's order with its skills and sub-agents, and its own. Empty instructions are omitted, and those of servers that offer no tools; instead the servers and tools are
 * named that should be there. A synthesis calls no tools, so it gets no server instructions.
 */
export function instructionTiers(
  purpose: keyof typeof GENERAL_INSTRUCTIONS,
  {
    agent,
    chain,
    offer,
    skills,
    nonce,
  }: Pick<PromptInput, "agent" | "chain" | "offer" | "skills"> & { readonly nonce: SessionNonce },
): string[] {
  const isOffered = (id: string) => offer === null || offer.servers.includes(id);
  const servers = purpose === "synthesis" ? [] : agent.mcp_servers.filter(isOffered);
  return [
    GENERAL_INSTRUCTIONS[purpose],
    dataRule(nonce),
    ...(purpose === "investigation" ? actionRules(agent) : []),
    ...servers.flatMap((id) => section(`## ${id} Instructions`, serverInstructions(chain, id))),
    ...(offer === null ? [] : missingTools(offer, nonce)),
    ...(purpose === "synthesis" ? [] : skillSections(skills ?? [], agent.skills ?? [])),
    ...(purpose === "synthesis" ? [] : subAgentSections(agent.sub_agents ?? [])),
    ...agentInstructions(agent),
  ];
}

/** The rules about actions; empty for an agent that may not change things. */
export function actionRules(agent: Pick<PromptInput["agent"], "type">): string[] {
  return isActionAgent(agent) ? [ACTION_RULES] : [];
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

/** The tools that an agent should have and has not: servers that are away, with the reason, and tools that are not offered. */
function missingTools(
  { unavailable, missing }: Pick<ServerOffer, "unavailable" | "missing">,
  nonce: SessionNonce,
): string[] {
  const servers = unavailable.map(({ server, reason }) => `- ${oneLine(server)}: ${oneLine(reason)}`);
  return [
    ...(servers.length === 0 ? [] : [`${UNAVAILABLE}\n\n${frame(nonce, "SERVERS", servers.join("\n"))}`]),
    ...(missing.length === 0 ? [] : [`${NOT_OFFERED}${missing.map(oneLine).join(", ")}`]),
  ];
}

const UNAVAILABLE = `## Unavailable MCP Servers

The tools of these servers are not available: do not call them, and say in your answer what could not be checked without them.`;

const NOT_OFFERED = `## Missing Tools

These tools were asked for but not offered: `;
