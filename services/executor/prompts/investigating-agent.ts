import type { InvestigatingAgent } from "./chat-input.ts";
import { type SessionNonce, escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";
import type { TimelineEventType } from "#shared/contracts/statuses.ts";
import { toolCallText, type ContextEvent } from "./format-context.ts";

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

/** A row of a timeline in a chat prompt. All of it is text of a model or a tool, so it is framed. */
export function chatStep(event: ContextEvent, nonce: SessionNonce): string {
  const { event_type, content } = event;
  if (event_type === "llm_tool_call") return `**Tool Call:** ${escapeRules(oneLine(toolCallText(event)))}`;
  const label = LABELS[event_type] ?? event_type.replaceAll("_", " ");
  return `**${label}:**\n\n${untrustedText(nonce, label.toUpperCase().replaceAll(" ", "_"), escapeRules(content))}`;
}

const LABELS: Partial<Record<TimelineEventType, string>> = {
  llm_thinking: "Internal Reasoning",
  llm_response: "Agent Response",
  tool_result: "Observation",
  mcp_tool_summary: "Tool Result Summary",
  final_analysis: "Final Analysis",
  task_assigned: "Assigned Task",
};
