import { chatBanner, type ChatExchange } from "./chat-input.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

/** The banner and the earlier exchanges of this chat; empty for the first question. */
export function chatHistory(history: readonly ChatExchange[], nonce: SessionNonce): string[] {
  if (history.length === 0) return [];
  const count = `${history.length} previous ${history.length === 1 ? "exchange" : "exchanges"}`;
  return [chatBanner(`💬 CHAT HISTORY (${count})`), ...history.map(formatExchange(nonce))];
}

function formatExchange(nonce: SessionNonce): (exchange: ChatExchange, index: number) => string {
  return ({ question, messages }, index) =>
    [
      `## Exchange ${index + 1}`,
      `**USER:**\n\n${framed(nonce, "QUESTION", question)}`,
      ...messages.map(formatMessage(nonce)),
    ].join("\n\n");
}

function formatMessage(nonce: SessionNonce): (message: ChatExchange["messages"][number]) => string {
  return ({ role, content, toolName }) => {
    switch (role) {
      case "assistant":
        return `**ASSISTANT:**\n\n${framed(nonce, "ANSWER", content)}`;
      case "tool":
        return `**Observation (${escapeRules(oneLine(toolName ?? "tool"))}):**\n\n${framed(nonce, "OBSERVATION", content)}`;
      case "user":
        return `**Observation:**\n\n${framed(nonce, "OBSERVATION", content)}`;
      default:
        return role satisfies never;
    }
  };
}

function framed(nonce: SessionNonce, name: string, text: string): string {
  return untrustedText(nonce, name, escapeRules(text));
}
