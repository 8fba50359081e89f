import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import { newMessages } from "../../persist/conversation.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { movedUnfinishedStep } from "../../persist/unfinished-step.ts";
import { evidenceMessage } from "../../prompts/evidence-message.ts";
import type { Evidence } from "../../state/evidence.ts";

/**
 * The step that tells an agent of the alerts that have joined its incident: the message to the model, its row in the timeline, and
 * that they are read, all in one write.
 */
export function recordEvidence(run: ExecutionRun, evidence: Evidence): StepRecord {
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
