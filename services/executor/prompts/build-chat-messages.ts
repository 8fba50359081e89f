import { escapeMarkers } from "#shared/contracts/prompt-marks.ts";
import type { PromptMessage } from "./prompt-input.ts";
import { alertBlock, runbookBlock } from "./investigation-blocks.ts";
import { chatBanner, type ChatInput, type ChatExchange } from "./chat-input.ts";
import { chatInvestigation } from "./chat-investigation.ts";
import { contextSection } from "./context-block.ts";
import { FOCUS_LINE } from "./general-instructions.ts";
import { instructionTiers } from "./instruction-tiers.ts";
import { reactFormatGuide } from "./react-format-guide.ts";
import { searchableBlock, toolsBlock } from "./tools-block.ts";
import { escapeRules, oneLine, untrustedText, type SessionNonce } from "./untrusted-text.ts";
import { chatStep, SUB_AGENT_TITLE, investigatingAgent } from "./investigating-agent.ts";

/** The first messages (system, user) of an agent that answers a question about a finished investigation. */
export function buildChatMessages(input: ChatInput): PromptMessage[] {
  const { alert, chain } = input;
  const { nonce } = alert;
  const react = input.style === "react";
  const system = [
    ...instructionTiers("chat", { ...input, nonce }),
    RESPONSE_GUIDELINES,
    ...(react ? [reactFormatGuide("chat")] : []),
    FOCUS_LINE.chat,
  ];
  const conversation = [
    alertBlock(alert),
    runbookBlock(alert, chain),
    chatInvestigation(input, nonce),
    ...chatHistory(input.history, nonce),
    ...contextSection(input),
    currentTask(input.question),
  ].join("\n\n");
  const tools = react && input.tools.length > 0 ? `${toolsBlock(input.tools, nonce)}\n\n\n` : "";
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: `${tools}${searchableBlock(input.offer, nonce)}${conversation}\n` },
  ];
}

/** The question is an instruction, so it is not framed as data; comment delimiters and rules in it are escaped. */
function currentTask(question: string): string {
  return `${chatBanner("🎯 CURRENT TASK")}

**Question:** ${escapeRules(escapeMarkers(question))}

- Use the investigation and the earlier exchanges first.
- Call tools only for what they leave open or what may have changed since.
- Answer the question that was asked, with the evidence for the answer.

Begin now.`;
}

const RESPONSE_GUIDELINES = `## Response Guidelines

- **Context**: build on what the investigation found, and refer to it instead of repeating it.
- **Fresh data**: for the present state, look again; the history shows how things were.
- **Clarity**: answer first, then explain.
- **Specificity**: name resources, values and times as they appear in the data.
- **Brevity**: a few sentences or a short list, unless the question asks for more.`;

/** The banner and the earlier exchanges of this chat; empty for the first question. */
function chatHistory(history: readonly ChatExchange[], nonce: SessionNonce): string[] {
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
