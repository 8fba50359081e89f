import { buildNativeMessages } from "../prompts/build-native-messages.ts";
import { retryPrompt } from "../prompts/iteration-prompts.ts";
import { completed, type AgentState, type AgentStep } from "./controller.ts";
import { nextIteration } from "./next-iteration.ts";

/**
 * Native thinking: tools are bound to the call, the model's structured calls run in sequence, and their results are tool
 * messages. A reply without calls is the answer.
 */
export function nativeThinking(state: AgentState): AgentStep {
  const { agent, tools, messages, iteration } = state;
  if (messages.length === 0) {
    return { kind: "open-conversation", messages: buildNativeMessages({ ...state, tools: [] }) };
  }
  if (tools === null) return { kind: "list-tools", serverIds: agent.mcp_servers };
  const last = messages.at(-1);
  // The reply to a forced conclusion is the answer, even if it requests tools that were not offered.
  const open = iteration.phase === "concluding" ? null : openCall(state);
  if (open !== null) return open;
  if (last?.role === "assistant") return completed(last.content);
  return nextIteration(state, {
    kind: "call-llm",
    interaction: "iteration",
    style: "native",
    tools,
    afterFailure: retryPrompt,
    thinkingMayAnswer: false,
  });
}

/** The first call of the newest reply that has no result yet. */
function openCall({ messages }: AgentState): AgentStep | null {
  const asked = messages.findLastIndex(({ role }) => role === "assistant");
  const calls = messages[asked]?.tool_calls ?? [];
  const answered = messages.slice(asked + 1).filter(({ role }) => role === "tool").length;
  const call = calls[answered];
  if (call === undefined) return null;
  const { id, name, arguments: rawArguments } = call;
  return {
    kind: "run-tool",
    call: { index: answered, name, rawArguments, toolCallId: id },
    asObservation: false,
  };
}
