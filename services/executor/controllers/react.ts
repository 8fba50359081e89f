import { parseReact } from "../react-parser/parse-react.ts";
import { buildReactMessages } from "../prompts/build-react-messages.ts";
import { malformedFeedback, unknownToolFeedback } from "../prompts/react-feedback.ts";
import type { AgentState, AgentStep } from "./controller.ts";
import { completed } from "./conclude.ts";
import { nextIteration } from "./next-iteration.ts";
import { retryPrompt } from "../prompts/retry-prompt.ts";

/**
 * ReAct: the model writes thoughts and tool calls as text, results come back as observations in user messages. What the
 * last message means is read from its complete text, never from what was streamed.
 */
export function react(state: AgentState): AgentStep {
  const { agent, tools, messages, iteration } = state;
  if (tools === null) return { kind: "list-tools", serverIds: agent.mcp_servers };
  if (messages.length === 0) {
    return { kind: "open-conversation", messages: buildReactMessages({ ...state, tools }) };
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant") {
    return nextIteration(state, {
      kind: "call-llm",
      interaction: "iteration",
      style: "react",
      tools: [],
      afterFailure: (error) => `Observation: ${retryPrompt(error)}`,
      thinkingMayAnswer: false,
    });
  }
  // The reply to a forced conclusion is the answer, however it was written.
  if (iteration.phase === "concluding") return completed(null);
  const parsed = parseReact(last.content);
  if (parsed.isFinalAnswer) return completed(null);
  if (parsed.isMalformed) return { kind: "tell", content: malformedFeedback(parsed), concluding: false };
  if (!tools.some(({ name }) => name === parsed.action)) {
    return { kind: "tell", content: unknownToolFeedback(parsed, tools), concluding: false };
  }
  const call = { index: 0, name: parsed.action, rawArguments: parsed.actionInput, toolCallId: null };
  return { kind: "run-tool", call, asObservation: true };
}
