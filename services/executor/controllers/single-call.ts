import { singleCallMessages } from "../prompts/single-call-messages.ts";
import type { AgentState, AgentStep } from "./controller.ts";
import { singleAnswer } from "./single-answer.ts";

/** What an agent without a strategy gets: one LLM call without tools, whose text is the final analysis. */
export function singleCall(state: AgentState): AgentStep {
  if (state.messages.length === 0) {
    return { kind: "open-conversation", messages: singleCallMessages(state) };
  }
  return singleAnswer(state, { interaction: "iteration", thinkingMayAnswer: false });
}
