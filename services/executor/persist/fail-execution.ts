import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { storableText } from "#shared/storable-text.ts";
import type { TerminalError } from "#shared/errors.ts";
import type { ExecutionState } from "./load-session.ts";
import type { StagePlace } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { closeTimeline } from "./close-timeline.ts";
import { commitStep } from "./commit-step.ts";
import { endExecution } from "./end-execution.ts";

/** Ends an execution that cannot go on, whatever it was at: the stage's other agents are none the worse. */
export async function failExecution(
  session: OwnedSession,
  place: StagePlace,
  execution: ExecutionState,
  error: TerminalError,
): Promise<void> {
  session.log.error(
    { execution_id: execution.execution_id, code: error.code, error: error.message },
    "agent failed",
  );
  const errorMessage = storableText(error.message).text;
  let closed: SessionEventPayload[] = [];
  // No chunk may come behind its row's completed event.
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  await commitStep(session, async (manager) => {
    closed = await closeTimeline(manager, session, "failed", execution.execution_id);
    const end = { status: "failed", errorMessage, errorCode: error.code } as const;
    return { events: [...closed, ...(await endExecution(manager, place, execution, end))] };
  });
  for (const event of closed) if ("event_id" in event) session.streams.forget(event.event_id);
}
