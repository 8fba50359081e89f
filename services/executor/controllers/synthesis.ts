import { buildSynthesisMessages } from "../prompts/build-synthesis-messages.ts";
import type { AgentState, AgentStep } from "../core/agent-state.ts";
import { singleAnswer } from "./single-call.ts";

/** Synthesis: one call without tools over the results of the stage's other agents. */
export function synthesis(state: AgentState): AgentStep {
  if (state.messages.length === 0) {
    return { kind: "open-conversation", messages: buildSynthesisMessages(state) };
  }
  return singleAnswer(state, { interaction: "synthesis", thinkingMayAnswer: true });
}
