import { TerminalError } from "#shared/errors.ts";
import { buildReflectionMessages } from "../../prompts/build-reflection-messages.ts";
import { completed, type AgentState, type AgentStep } from "../../core/agent-state.ts";
import { callOnce } from "../../controllers/single-call.ts";

/** Memory extraction: one call without tools, whose reply says what is to be remembered. None of it is a final analysis. */
export function memoryExtraction(state: AgentState): AgentStep {
  const { judged, memories, messages } = state;
  if (messages.length === 0) {
    if (judged === null) throw new TerminalError("malformed", "there is no investigation to learn from");
    return {
      kind: "open-conversation",
      messages: buildReflectionMessages({ ...state, ...judged, memories }),
    };
  }
  if (messages.at(-1)?.role === "assistant") return completed(null);
  return callOnce(state, { interaction: "memory_extraction", style: "native", thinkingMayAnswer: false });
}
