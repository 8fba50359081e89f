import type { TimelineEventType } from "#shared/contracts/statuses.ts";
import { toolCallText, type ContextEvent } from "./format-context.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

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
