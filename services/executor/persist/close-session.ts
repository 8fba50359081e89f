import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { INCIDENT_OVER, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError, cancelledByUser, type TerminalError } from "#shared/errors.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import { loadRuns } from "../state/session-state.ts";
import { closeApprovals } from "./approval-rows.ts";
import { commitLocked, type CommitKind } from "./commit-step.ts";
import { executionEvent } from "./execution-rows.ts";
import { endSession } from "./session-rows.ts";
import type { SessionWriter } from "./session-writer.ts";
import { stageEvent } from "./stage-rows.ts";
import type { StepRecord } from "./step-record.ts";
import { isOpen } from "../state/step-rows.ts";

const parseOpenRow = compileParser(
  "open timeline row",
  Type.Object(rowMembers(TIMELINE_EVENTS, "event_id", "execution_id", "event_type", "content")),
);

const OPEN_ROWS = `
SELECT event_id, execution_id, event_type, content FROM timeline_events
WHERE session_id = $1 AND status = 'streaming' AND ($2::uuid IS NULL OR execution_id = $2)
ORDER BY created_at, sequence_number`;

const parseAnswer = compileParser("last answer", Type.Object({ content: Type.String() }));

const LAST_ANSWER = `
SELECT answer.content FROM timeline_events answer
JOIN agent_executions USING (execution_id) JOIN stages ON stages.stage_id = agent_executions.stage_id
WHERE answer.session_id = $1 AND answer.event_type = 'final_analysis' AND answer.status = 'completed'
  AND parent_execution_id IS NULL
ORDER BY stage_index DESC, agent_index DESC LIMIT 1`;

/**
 * Ends a session early, in one transaction: open timeline rows keep their content and get the status, so do running
 * executions and stages, then the session itself, with the last answer there is. Returns the status: `requested`, or
 * `cancelled` if a cancel was recorded before, because `cancelling` can become nothing else.
 */
export async function closeSession(
  session: SessionWriter,
  requested: Exclude<TerminalStatus, "completed">,
  reason: CancelledError | TerminalError,
): Promise<TerminalStatus> {
  try {
    await close(session, requested, reason, requested === "cancelled" ? "close" : "finish");
    return requested;
  } catch (error) {
    const isCancelled = error instanceof CancelledError && error.reason === "user";
    if (requested === "cancelled" || !isCancelled) throw error;
    await close(session, "cancelled", cancelledByUser(), "close");
    return "cancelled";
  }
}

/** A `finish` is refused once a cancel is recorded. */
async function close(
  session: SessionWriter,
  status: Exclude<TerminalStatus, "completed">,
  { message, code }: CancelledError | TerminalError,
  kind: CommitKind,
): Promise<void> {
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  await commitLocked(
    session,
    async (rows) => {
      const isByAlert = status === "cancelled" && (await isIncidentOver(rows, session.sessionId));
      return closingSteps(session, rows, { status, message: isByAlert ? INCIDENT_OVER : message, code });
    },
    kind,
  );
  session.log.info({ status, reason: message }, "session closed");
}

const ENDED_BY_ALERT = `
SELECT alert_id FROM group_alerts WHERE session_id = $1 AND effect = 'cancel' LIMIT 1`;
const parseAlert = compileParser("alert that ended a session", Type.Object({ alert_id: Uuid }));

/** True if an alert cancelled the session: readers of its end must see that no person did it. */
async function isIncidentOver(db: Queryable, sessionId: string): Promise<boolean> {
  return (await selectRows(db, parseAlert, ENDED_BY_ALERT, [sessionId])).length > 0;
}

async function closingSteps(
  session: SessionWriter,
  db: Queryable,
  {
    status,
    message,
    code,
  }: {
    readonly status: Exclude<TerminalStatus, "completed">;
    readonly message: string;
    readonly code: string;
  },
): Promise<StepRecord[]> {
  const { sessionId } = session;
  const { stages, executions } = await loadRuns(db, sessionId);
  const [answer] = await selectRows(db, parseAnswer, LAST_ANSWER, [sessionId]);
  const ending = { status, error_message: message, error_code: code };
  const openStages = stages.filter((stage) => isOpen(stage.status));
  const openExecutions = executions.filter((execution) => isOpen(execution.status));
  const runs: StepRecord = {
    rows: {
      stageEnds: openStages.map(({ stage_id }) => ({ stage_id, ...ending })),
      executionChanges: openExecutions.map(({ execution_id }) => ({ execution_id, end: ending })),
    },
    events: [
      ...openExecutions.map((execution) => executionEvent(execution, status, message)),
      ...openStages.map((stage) => stageEvent("stage.completed", stage, status)),
    ],
  };
  const outcome = { status, errorMessage: message, errorCode: code };
  const end = endSession(sessionId, outcome, { finalAnalysis: answer?.content ?? null });
  return [await closeTimeline(session, db, status), await closeApprovals(db, sessionId), runs, end];
}

/**
 * The step that ends the session's open timeline rows, or those of one execution, with the text streamed so far. The live
 * texts must be flushed: no chunk may follow its row's completed event.
 */
export async function closeTimeline(
  { sessionId, streams }: SessionWriter,
  db: Queryable,
  status: TerminalStatus,
  executionId: string | null = null,
): Promise<StepRecord> {
  const rows = await selectRows(db, parseOpenRow, OPEN_ROWS, [sessionId, executionId]);
  const timelineEnds = rows.map(({ content, ...row }) => ({
    ...row,
    status,
    content: streams.textOf(row.event_id) ?? content,
    llm_interaction_id: null,
  }));
  return {
    rows: { timelineEnds },
    events: timelineEnds.map(({ event_id, event_type, content }) => ({
      type: "timeline_event.completed",
      event_id,
      session_id: sessionId,
      event_type,
      status,
      content,
    })),
  };
}
