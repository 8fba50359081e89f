import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { buildChatMessages } from "../prompts/build-chat-messages.ts";
import { buildNativeMessages } from "../prompts/build-investigation-messages.ts";
import { retryPrompt } from "../prompts/iteration-prompts.ts";
import { callsOfAnswer, callsBeside } from "./parallel-calls.ts";
import { completed, type AgentState, type AgentStep } from "../core/agent-state.ts";
import { nextIteration } from "./next-iteration.ts";

/**
 * Native thinking: tools are bound to the call, the model's structured calls run in sequence, neighbours that only read side by side, and their
 * results are tool messages. A reply without calls is the answer; of very many calls only the first are carried out.
 */
export function nativeThinking(state: AgentState): AgentStep {
  const { agent, tools, messages, iteration } = state;
  // First, because the prompt names the servers that are away.
  if (tools === null) return { kind: "list-tools", serverIds: agent.mcp_servers };
  if (messages.length === 0) {
    const input = { ...state, tools: [] };
    const { chat } = state;
    const first =
      chat === null ? buildNativeMessages(input) : buildChatMessages({ ...input, ...chat, style: "native" });
    return { kind: "open-conversation", messages: first };
  }
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

/** The first call of the newest reply that has no result yet, of those that are carried out. */
function openCall(state: AgentState): AgentStep | null {
  const { messages } = state;
  const asked = messages.findLastIndex(({ role }) => role === "assistant");
  const calls = messages[asked]?.tool_calls ?? [];
  const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
  // The reply was stored with the result of the calls that are left out.
  const excess = calls[MAX_CALLS_PER_ANSWER];
  const isExcessAnswered = excess !== undefined && results[0]?.tool_call_id === excess.id;
  const answered = isExcessAnswered ? results.length - 1 : results.length;
  const carriedOut = callsOfAnswer(state);
  const names = carriedOut.map(({ name }) => name);
  const group = carriedOut.slice(answered, answered + 1 + callsBeside(state, names, answered));
  const [call, ...beside] = group;
  return call === undefined ? null : { kind: "run-tool", call, beside, asObservation: false };
}
