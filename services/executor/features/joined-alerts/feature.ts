import type { AgentState, AgentStep, StepOf } from "../../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import type { Feature } from "../../core/feature.ts";
import { newMessages } from "../../persist/conversation.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { movedUnfinishedStep } from "../../persist/unfinished-step.ts";
import { evidenceMessage } from "../../prompts/evidence-message.ts";
import type { Evidence } from "../../state/evidence.ts";

/** Tells agents of the alerts that join their incident while they work. */
export const JOINED_ALERTS = {
  decide: deliverEvidence,
  perform: {
    "deliver-evidence": (run, { evidence }) => {
      run.steps.add(recordEvidence(run, evidence));
    },
  },
} satisfies Feature;

/**
 * The step that tells an agent of the alerts that have joined its incident, before its next call of the model or the message that
 * asks for its conclusion; null if there is nothing to tell. There is one between two answers of the model, however fast alerts
 * arrive; an agent that has concluded is not asked again for their sake.
 */
function deliverEvidence(
  { evidence, messages, iteration }: Pick<AgentState, "evidence" | "messages" | "iteration">,
  next: AgentStep,
): StepOf["deliver-evidence"] | null {
  if (evidence === null || evidence.count === 0 || messages.length === 0) return null;
  const isBeforeConclusion = next.kind === "append-user-message" && next.concluding;
  if (!isBeforeConclusion && (next.kind !== "call-llm" || iteration.phase !== "iterating")) return null;
  const answered = messages.findLast(({ role }) => role === "assistant")?.sequence_number ?? 0;
  if (evidence.last_message > answered) return null;
  return { kind: "deliver-evidence", evidence };
}

/**
 * The step that tells an agent of the alerts that have joined its incident: the message to the model, its row in the timeline, and
 * that they are read, all in one write.
 */
function recordEvidence(run: ExecutionRun, evidence: Evidence): StepRecord {
  const { execution, state } = run;
  const { iteration, alert } = state;
  const { execution_id } = execution;
  const { count, through } = evidence;
  const content = evidenceMessage(evidence, alert.nonce);
  const added = newMessages(run, [{ role: "user", content }]);
  const timeline = timelineOf(run, iteration.iteration);
  timeline.add({
    key: `evidence:${through}`,
    type: "user_question",
    content:
      count === 1
        ? "Another alert of the incident arrived."
        : `${count} more alerts of the incident arrived.`,
    metadata: { author: "alerts", evidence: { alerts: count, through } },
    interactionId: null,
  });
  const { rows, events } = timeline.record();
  return {
    rows: {
      ...rows,
      messages: added,
      executionChanges: [
        {
          execution_id,
          iteration_state: movedUnfinishedStep(iteration, state.messages.length, added.length),
        },
      ],
      evidenceDeliveries: added.map(({ sequence_number }) => ({
        execution_id,
        through,
        alerts: count,
        characters: content.length,
        sequence_number,
      })),
    },
    events,
  };
}
