import { buildSingleCallMessages, buildSynthesisMessages } from "../prompts/build-single-call-messages.ts";
import { changeAfterFailure } from "./choose-provider.ts";
import { completed, failed, type AgentState, type AgentStep, type CallLlm } from "../core/agent-state.ts";

/** The controller of an agent without a strategy: one LLM call without tools, whose text is the final analysis. */
export function singleCall(state: AgentState): AgentStep {
  if (state.messages.length === 0) {
    return { kind: "open-conversation", messages: buildSingleCallMessages(state) };
  }
  return singleAnswer(state, { interaction: "iteration", thinkingMayAnswer: false });
}

/** One call without tools; its reply ends the execution, whether it failed or not, unless another provider takes over. */
function singleAnswer(
  state: AgentState,
  call: Pick<CallLlm, "interaction" | "thinkingMayAnswer">,
): AgentStep {
  if (state.messages.at(-1)?.role === "assistant") return completed(null);
  return callOnce(state, { style: "final-answer", ...call });
}

/** A call without tools whose first failure ends the execution, unless another provider takes over. */
export function callOnce(
  state: AgentState,
  call: Pick<CallLlm, "interaction" | "style" | "thinkingMayAnswer">,
): AgentStep {
  const { iteration } = state;
  const change = changeAfterFailure(state);
  if (change !== null) return change;
  if (iteration.last_failed) {
    // One call is the whole execution, so a call that timed out is an execution that timed out.
    const status = iteration.consecutive_timeouts > 0 ? "timed_out" : "failed";
    return failed(state, iteration.last_error ?? "unknown error", status);
  }
  return { kind: "call-llm", tools: [], afterFailure: null, ...call };
}

/** Synthesis: one call without tools over the results of the stage's other agents. */
export function synthesis(state: AgentState): AgentStep {
  if (state.messages.length === 0) {
    return { kind: "open-conversation", messages: buildSynthesisMessages(state) };
  }
  return singleAnswer(state, { interaction: "synthesis", thinkingMayAnswer: true });
}
