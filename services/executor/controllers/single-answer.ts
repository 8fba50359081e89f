import type { AgentState, AgentStep, CallLlm } from "./controller.ts";
import { completed, failed } from "./conclude.ts";

/** One call without tools, whose reply ends the execution either way. */
export function singleAnswer(
  state: AgentState,
  call: Pick<CallLlm, "interaction" | "thinkingMayAnswer">,
): AgentStep {
  const { messages, iteration } = state;
  if (messages.at(-1)?.role === "assistant") return completed(null);
  if (iteration.last_failed) {
    // One call is the whole execution: if that ran out of time, so did the execution.
    const status = iteration.consecutive_timeouts > 0 ? "timed_out" : "failed";
    return failed(state, iteration.last_error ?? "unknown error", status);
  }
  return { kind: "call-llm", style: "final-answer", tools: [], afterFailure: null, ...call };
}
