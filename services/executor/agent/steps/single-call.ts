import { singleCallMessages } from "../prompts/single-call-prompt.ts";
import type { AgentState, AgentStep } from "./agent-step.ts";

/** What an agent without a strategy gets: one LLM call without tools, whose text is the final analysis. */
export function singleCall({ agent, alert, previous, messages, iteration }: AgentState): AgentStep {
  if (messages.length === 0) {
    return { kind: "open-conversation", messages: singleCallMessages(agent, alert, previous) };
  }
  if (messages.at(-1)?.role === "assistant") {
    return { kind: "conclude", status: "completed", errorMessage: null, errorCode: null };
  }
  if (iteration.last_call_failed) {
    const status = iteration.consecutive_timeouts > 0 ? "timed_out" : "failed";
    return {
      kind: "conclude",
      status,
      errorMessage: iteration.last_error,
      errorCode: iteration.last_error_code,
    };
  }
  return { kind: "call-llm", interaction: "iteration", textAs: "final_analysis" };
}
