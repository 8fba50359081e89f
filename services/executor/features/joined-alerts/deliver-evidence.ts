import type { AgentState, AgentStep, DeliverEvidence } from "../../core/agent-state.ts";

/**
 * The step that tells an agent of the alerts that have joined its incident, before its next call of the model or the message that
 * asks for its conclusion; null if there is nothing to tell. There is one between two answers of the model, however fast alerts
 * arrive; an agent that has concluded is not asked again for their sake.
 */
export function deliverEvidence(
  { evidence, messages, iteration }: Pick<AgentState, "evidence" | "messages" | "iteration">,
  next: AgentStep,
): DeliverEvidence | null {
  if (evidence === null || evidence.count === 0 || messages.length === 0) return null;
  const isBeforeConclusion = next.kind === "append-user-message" && next.concluding;
  if (!isBeforeConclusion && (next.kind !== "call-llm" || iteration.phase !== "iterating")) return null;
  const answered = messages.findLast(({ role }) => role === "assistant")?.sequence_number ?? 0;
  if (evidence.last_message > answered) return null;
  return { kind: "deliver-evidence", evidence };
}
