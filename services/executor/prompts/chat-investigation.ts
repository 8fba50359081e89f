import type { TimelineEventType } from "#shared/contracts/statuses.ts";
import { chatBanner } from "./chat-input.ts";
import { type ContextEvent, toolCallText } from "./format-context.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

/** The completed events of the investigation, for the prompt of a chat agent. */
export function chatInvestigation(events: readonly ContextEvent[], nonce: SessionNonce): string {
  const completed = events.filter(({ status }) => status === "completed");
  const steps =
    completed.length === 0
      ? ["The investigation recorded no steps."]
      : completed.map((event) => formatStep(event, nonce));
  return [chatBanner("📋 INVESTIGATION HISTORY"), "# Original Investigation", ...steps].join("\n\n");
}

function formatStep(event: ContextEvent, nonce: SessionNonce): string {
  const { event_type, content } = event;
  if (event_type === "llm_tool_call") return `**Tool Call:** ${escapeRules(oneLine(toolCallText(event)))}`;
  const label = LABELS[event_type] ?? event_type.replaceAll("_", " ");
  return `**${label}:**\n\n${untrustedText(nonce, label.toUpperCase().replaceAll(" ", "_"), escapeRules(content))}`;
}

const LABELS: Partial<Record<TimelineEventType, string>> = {
  llm_thinking: "Internal Reasoning",
  llm_response: "Agent Response",
  tool_result: "Observation",
  final_analysis: "Final Analysis",
};
