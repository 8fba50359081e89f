import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import type { CancelledError, TerminalError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { closeApprovals } from "./approval-rows.ts";
import { closeTimeline } from "./close-session.ts";
import { commitLocked } from "./commit-step.ts";
import { endExecution } from "./execution-rows.ts";
import type { StageContext } from "./progress-event.ts";
import type { StepRecord } from "./step-record.ts";
import type { SessionWriter } from "./session-writer.ts";
import type { ExecutionState } from "../state/session-state.ts";

/** Commits that an execution failed, or ended early in another way, with its open timeline rows; the stage's other executions are not affected. */
export async function failExecution(
  session: SessionWriter,
  stage: StageContext,
  execution: ExecutionState,
  error: TerminalError | CancelledError,
  status: Exclude<TerminalStatus, "completed"> = "failed",
): Promise<void> {
  session.log.error(
    { execution_id: execution.execution_id, code: error.code, error: error.message },
    status === "failed" ? "agent failed" : "agent stopped early",
  );
  const errorMessage = postgresSafeText(error.message).text;
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  const end = endExecution(stage, execution, { status, errorMessage, errorCode: error.code });
  let closed: StepRecord["rows"] = {};
  await commitLocked(session, async (rows) => {
    const timeline = await closeTimeline(session, rows, status, execution.execution_id);
    closed = timeline.rows;
    const { execution_id: executionId } = execution;
    return [timeline, await closeApprovals(rows, session.sessionId, { executionId }), end];
  });
  for (const { event_id } of closed.timelineEnds ?? []) session.streams.forget(event_id);
}
