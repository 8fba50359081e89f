import { chatBanner, type ChatExchange } from "./chat-input.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

/** The banner and the earlier exchanges of this chat; empty for the first question. */
export function chatHistory(history: readonly ChatExchange[]): string[] {
  if (history.length === 0) return [];
  const count = `${history.length} previous ${history.length === 1 ? "exchange" : "exchanges"}`;
  return [chatBanner(`💬 CHAT HISTORY (${count})`), ...history.map(formatExchange)];
}

function formatExchange({ question, messages }: ChatExchange, index: number): string {
  return [
    `## Exchange ${index + 1}`,
    `**USER:**\n\n${framed("QUESTION", question)}`,
    ...messages.map(formatMessage),
  ].join("\n\n");
}

function formatMessage({ role, content, toolName }: ChatExchange["messages"][number]): string {
  switch (role) {
    case "assistant":
      return `**ASSISTANT:**\n\n${framed("ANSWER", content)}`;
    case "tool":
      return `**Observation (${escapeRules(oneLine(toolName ?? "tool"))}):**\n\n${framed("OBSERVATION", content)}`;
    case "user":
      return `**Observation:**\n\n${framed("OBSERVATION", content)}`;
    default:
      return role satisfies never;
  }
}

function framed(name: string, text: string): string {
  return untrustedText(name, escapeRules(text));
}
