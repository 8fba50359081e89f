import { buildChatMessages } from "../prompts/build-chat-messages.ts";
import { buildReactMessages } from "../prompts/build-investigation-messages.ts";
import { retryPrompt } from "../prompts/iteration-prompts.ts";
import { malformedFeedback, unknownToolFeedback } from "../prompts/react-feedback.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { findBuiltInTool } from "./built-in-tools.ts";
import { completed, type AgentState, type AgentStep } from "../core/agent-state.ts";
import { rightNamesHint, rightToolNames } from "./right-tool-names.ts";
import { nextIteration } from "./next-iteration.ts";

/**
 * ReAct: the model writes thoughts and tool calls as text; results return as observations in user messages. The last
 * message is parsed as complete text, never from what was streamed.
 */
export function react(state: AgentState): AgentStep {
  const { agent, tools, messages, iteration } = state;
  if (tools === null) return { kind: "list-tools", serverIds: agent.mcp_servers };
  if (messages.length === 0) {
    const input = { ...state, tools };
    const { chat } = state;
    const first =
      chat === null ? buildReactMessages(input) : buildChatMessages({ ...input, ...chat, style: "react" });
    return { kind: "open-conversation", messages: first };
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant") {
    return nextIteration(state, {
      kind: "call-llm",
      interaction: "iteration",
      style: "react",
      tools: [],
      afterFailure: (failure) => `Observation: ${retryPrompt(failure)}`,
      thinkingMayAnswer: false,
    });
  }
  // The reply to a forced conclusion is the answer in any form.
  if (iteration.phase === "concluding") return completed(null);
  const parsed = parseReact(last.content);
  if (parsed.isFinalAnswer) return completed(null);
  if (parsed.isMalformed) return feedback(malformedFeedback(parsed));
  const isKnown =
    tools.some(({ name }) => name === parsed.action) || findBuiltInTool(parsed.action, tools) !== undefined;
  if (!isKnown) {
    const hint = rightNamesHint(rightToolNames(parsed.action, tools));
    return feedback(unknownToolFeedback(parsed, { tools, hint }, state.alert.nonce));
  }
  const call = { index: 0, name: parsed.action, rawArguments: parsed.actionInput, toolCallId: null };
  return { kind: "run-tool", call, beside: [], asObservation: true };
}

function feedback(content: string): AgentStep {
  return { kind: "append-user-message", content, concluding: false };
}
