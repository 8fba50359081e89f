import type { AgentState, AgentStep, StepOf } from "../../core/agent-state.ts";
import type { Feature } from "../../core/feature.ts";
import { recordSteering } from "./record-steering.ts";

/** Gives agents what people tell them while they work. */
export const STEERING = {
  decide: deliverSteering,
  perform: {
    "deliver-steering": (run, { messages }) => {
      run.steps.add(recordSteering(run, messages));
    },
  },
} satisfies Feature;

/**
 * The step that gives an agent the messages of people, before its next step; null if there are none or if its
 * conversation cannot take a message now. It can before each call of the model, and once more before the agent ends
 * with an answer: a note that came while the model wrote its answer has it write another one. Calls of tools, whose
 * results the model expects next, come first.
 */
function deliverSteering(
  { steering, messages, iteration }: Pick<AgentState, "steering" | "messages" | "iteration">,
  next: AgentStep,
): StepOf["deliver-steering"] | null {
  if (steering.length === 0 || messages.length === 0) return null;
  // An agent that waits for its sub-agents gets messages at once.
  const canHear =
    next.kind === "call-llm" || (next.kind === "wait-for-sub-agents" && iteration.phase === "iterating");
  if (canHear) return { kind: "deliver-steering", messages: steering };
  if (next.kind !== "finish" || next.status !== "completed") return null;
  // An agent that has concluded needs no request to conclude.
  if (!steering.some(({ mode }) => mode === "note")) return null;
  return { kind: "deliver-steering", messages: steering };
}
