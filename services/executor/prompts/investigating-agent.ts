import type { InvestigatingAgent } from "./chat-input.ts";
import { chatStep } from "./chat-step.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

/** An agent of a history under its title, which begins with a Markdown heading, with the agents that it started below it. */
export function investigatingAgent(agent: InvestigatingAgent, title: string, nonce: SessionNonce): string {
  const { name, backend, model, status, errorMessage, events, subAgents } = agent;
  return [
    `${title} ${plainName(name)} (${plainName(backend)}, ${plainName(model)})`,
    `**Status:** ${status}`,
    ...(errorMessage === null ? [] : [untrustedText(nonce, "ERROR_MESSAGE", escapeRules(errorMessage))]),
    ...(events.length === 0
      ? ["This agent left nothing behind."]
      : events.map((event) => chatStep(event, nonce))),
    ...subAgents.map((subAgent) => investigatingAgent(subAgent, SUB_AGENT_TITLE, nonce)),
  ].join("\n\n");
}

/** Below the heading of any agent and of any exchange. */
export const SUB_AGENT_TITLE = "#### Sub-agent";

/** A name in a heading, which it cannot leave. */
export function plainName(name: string): string {
  return escapeRules(oneLine(name));
}
