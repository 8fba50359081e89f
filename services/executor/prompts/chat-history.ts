import { chatBanner, type ChatExchange } from "./chat-input.ts";
import { chatStep } from "./chat-step.ts";
import { SUB_AGENT_TITLE, investigatingAgent } from "./investigating-agent.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { escapeRules, oneLine, untrustedText } from "./untrusted-text.ts";

/** The banner and the earlier exchanges of this chat; empty for the first question. */
export function chatHistory(history: readonly ChatExchange[], nonce: SessionNonce): string[] {
  if (history.length === 0) return [];
  const count = `${history.length} previous ${history.length === 1 ? "exchange" : "exchanges"}`;
  return [chatBanner(`💬 CHAT HISTORY (${count})`), ...history.map(formatExchange(nonce))];
}

function formatExchange(nonce: SessionNonce): (exchange: ChatExchange, index: number) => string {
  return ({ question, author, status, events, subAgents }, index) =>
    [
      `## Exchange ${index + 1}`,
      `**Question of ${escapeRules(oneLine(author))}:**\n\n${untrustedText(nonce, "QUESTION", escapeRules(question))}`,
      ...events.map((event) => chatStep(event, nonce)),
      ...subAgents.map((subAgent) => investigatingAgent(subAgent, SUB_AGENT_TITLE, nonce)),
      ...(status === "completed" ? [] : [`This question was not answered: ${status}.`]),
    ].join("\n\n");
}
