import type { SteeringMessage } from "../../state/steering.ts";
import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import { operatorConclusion, operatorNote, resolvedConclusion } from "../../prompts/operator-message.ts";
import { newMessages } from "../../persist/conversation.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import type { WholeRow } from "../../persist/timeline-writer.ts";
import { movedUnfinishedStep } from "../../persist/unfinished-step.ts";

/**
 * The step that delivers the messages of people to an agent: the messages to the model, their rows in the timeline, the
 * end of its iterations if it is to conclude, and that it has read them, all in one write.
 */
export function recordSteering(run: ExecutionRun, messages: readonly SteeringMessage[]): StepRecord {
  const { execution, state } = run;
  const { agent, alert, iteration } = state;
  const { execution_id } = execution;
  let { phase } = iteration;
  const texts: string[] = [];
  const timeline = timelineOf(run, iteration.iteration);
  for (const message of messages) {
    timeline.add(steeringRow(message));
    // The calls that it is about have ended; the result of one that was skipped has said so.
    if (message.mode === "skip_tool") continue;
    if (message.mode === "conclude" && phase === "iterating") {
      texts.push(
        message.is_from_alert ? resolvedConclusion(agent) : operatorConclusion(agent, message, alert.nonce),
      );
      phase = "concluding";
    } else if (message.content !== null) {
      texts.push(operatorNote(message, alert.nonce));
    }
  }
  const added = newMessages(
    run,
    texts.map((content) => ({ role: "user", content })),
  );
  const iteration_state = movedUnfinishedStep({ ...iteration, phase }, state.messages.length, added.length);
  const { rows, events } = timeline.record();
  return {
    rows: {
      ...rows,
      ...(added.length === 0 ? {} : { messages: added }),
      executionChanges: [{ execution_id, iteration_state }],
      steeringDeliveries: messages.map(({ message_id }) => ({ message_id, execution_id })),
    },
    events,
  };
}

const WITHOUT_TEXT = {
  note: "",
  conclude: "Conclude now.",
  skip_tool: "Go on without the tool calls that are running.",
} as const satisfies Record<SteeringMessage["mode"], string>;

/** The timeline's row of a message; the same message has one in the timeline of each agent that reads it. */
function steeringRow({ message_id, mode, content, author }: SteeringMessage): WholeRow {
  return {
    key: `steering:${message_id}`,
    type: "user_question",
    content: content ?? WITHOUT_TEXT[mode],
    metadata: { author, steering: mode, message_id },
    interactionId: null,
  };
}
