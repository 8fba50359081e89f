import { buildChatMessages } from "../prompts/build-chat-messages.ts";
import { buildReactMessages, buildNativeMessages } from "../prompts/build-investigation-messages.ts";
import { retryPrompt, forcedConclusionPrompt } from "../prompts/iteration-prompts.ts";
import { malformedFeedback, unknownToolFeedback } from "../prompts/react-feedback.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { findBuiltInTool } from "./built-in-tools.ts";
import { completed, type AgentState, type AgentStep, failed, type CallLlm } from "../core/agent-state.ts";
import { unloadedTools } from "./divide-tools.ts";
import { rightNamesHint, rightToolNames } from "./right-tool-names.ts";
import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { callsOfAnswer, callsBeside } from "./parallel-calls.ts";
import { asksAgain, changeAfterFailure, usedIterations } from "./choose-provider.ts";

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
    tools.some(({ name }) => name === parsed.action) ||
    findBuiltInTool(parsed.action, tools) !== undefined ||
    unloadedTools(state, parsed.action).length > 0;
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
export function openCall(
  state: Pick<AgentState, "messages" | "tools" | "agent" | "chain">,
): AgentStep | null {
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

const MAX_CONSECUTIVE_TIMEOUTS = 2;
/**
 * The failed calls in a row after which an agent ends whose last answer only repeated itself: each is paid for, and
 * asking again has not helped.
 */
const MAX_CALLS_BEFORE_LOOP = 3;

/**
 * The start of an iteration, shared by the iterating controllers: lets another provider take over, fails after two LLM timeouts
 * in a row, three calls in a row whose last answer only repeated itself, or an error that no retry can fix, requests a conclusion at the iteration limit, and otherwise returns `call`,
 * the controller's ordinary call.
 */
function nextIteration(state: AgentState, call: CallLlm): AgentStep {
  const { agent, iteration } = state;
  const { last_failed, last_error, last_error_code, consecutive_failures, consecutive_timeouts } = iteration;
  const limit = agent.max_iterations;
  const used = usedIterations(iteration);
  const change = changeAfterFailure(state);
  if (change !== null) return change;
  const error = last_error ?? "unknown error";
  if (iteration.phase === "concluding") {
    if (last_failed) return failed(state, `forced conclusion LLM call failed: ${error}`);
    return { ...call, interaction: "forced_conclusion", tools: [], afterFailure: null };
  }
  if (consecutive_timeouts >= MAX_CONSECUTIVE_TIMEOUTS) {
    const next = `${used + 1}/${limit}`;
    return failed(
      state,
      `aborted after ${consecutive_timeouts} consecutive timeouts (iteration ${next}): ${error}`,
    );
  }
  if (last_error_code === "output_loop" && consecutive_failures >= MAX_CALLS_BEFORE_LOOP) {
    return failed(state, `aborted after ${consecutive_failures} failed calls in a row: ${error}`);
  }
  if (last_failed && !iteration.last_error_retryable && !asksAgain(state)) return failed(state, error);
  if (used < limit) return call;
  if (last_failed) {
    return failed(state, `max iterations (${limit}) reached with last interaction failed: ${error}`);
  }
  return {
    kind: "append-user-message",
    content: forcedConclusionPrompt(agent, used),
    concluding: true,
  };
}
