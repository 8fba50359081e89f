import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { SESSION_STATUSES, TIMELINE_EVENT_TYPES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError, type TerminalError } from "#shared/errors.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "./commit-step.ts";
import { endSession } from "./end-session.ts";

const parseOpenRow = compileParser(
  "open timeline row",
  Type.Object({ event_id: Uuid, event_type: literals(TIMELINE_EVENT_TYPES), content: Type.String() }),
);
const parseStageRow = compileParser(
  "closed stage row",
  Type.Object({ stage_id: Uuid, stage_name: Type.String(), stage_index: Type.Integer() }),
);

const parseStatus = compileParser("session status row", Type.Object({ status: literals(SESSION_STATUSES) }));

/** Taken first, as a cancel takes it: whichever comes first is seen by the other. */
const LOCK_STATUS = `SELECT status FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE`;

const OPEN_ROWS = `
SELECT event_id, event_type, content FROM timeline_events
WHERE session_id = $1 AND status = 'streaming' ORDER BY created_at, sequence_number`;

const CLOSE_ROW = `
UPDATE timeline_events SET status = $2, content = $3, updated_at = now() WHERE event_id = $1`;

const CLOSE_EXECUTIONS = `
UPDATE agent_executions SET status = $2, completed_at = now(), error_message = $3, error_code = $4,
  duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
WHERE session_id = $1 AND status IN ('pending', 'active')`;

const CLOSE_STAGES = `
WITH closed AS (
  UPDATE stages SET status = $2, completed_at = now(), error_message = $3, error_code = $4,
    duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
  WHERE session_id = $1 AND status IN ('pending', 'active')
  RETURNING stage_id, stage_name, stage_index
) SELECT stage_id, stage_name, stage_index FROM closed ORDER BY stage_index`;

/**
 * Ends a session out of turn, in one transaction: open timeline rows keep what they hold and get the status, so do
 * running executions and stages, then the session itself. Returns the status: the one asked for, or `cancelled` where
 * a cancel was recorded before, because `cancelling` can become nothing else.
 */
export async function closeSession(
  session: OwnedSession,
  asked: Exclude<TerminalStatus, "completed">,
  why: CancelledError | TerminalError,
): Promise<TerminalStatus> {
  const { sessionId } = session;
  let [status, error] = [asked, why];
  const write = async (manager: EntityManager) => {
    const [row] = await selectRows(manager, parseStatus, LOCK_STATUS, [sessionId]);
    if (row?.status === "cancelling") {
      [status, error] = ["cancelled", new CancelledError("user", "cancelled by the user")];
    }
    const events: SessionEventPayload[] = [...(await closeTimeline(manager, session, status))];
    const reason = [status, error.message, error.code];
    await manager.query(CLOSE_EXECUTIONS, [sessionId, ...reason]);
    for (const stage of await selectRows(manager, parseStageRow, CLOSE_STAGES, [sessionId, ...reason])) {
      const timestamp = new Date().toISOString();
      events.push({ type: "stage.completed", session_id: sessionId, ...stage, status, timestamp });
    }
    const ended = { status, errorMessage: error.message, errorCode: error.code };
    events.push(...(await endSession(manager, sessionId, ended, null)));
    return { events };
  };
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  await commitStep(session, write, "close");
  session.log.info({ status, reason: error.message }, "session closed");
  return status;
}

async function closeTimeline(
  manager: EntityManager,
  session: OwnedSession,
  status: TerminalStatus,
): Promise<SessionEventPayload[]> {
  const rows = await selectRows(manager, parseOpenRow, OPEN_ROWS, [session.sessionId]);
  const events: SessionEventPayload[] = [];
  for (const { event_id, event_type, content: stored } of rows) {
    const content = session.streams.textOf(event_id) ?? stored;
    await manager.query(CLOSE_ROW, [event_id, status, content]);
    events.push({
      type: "timeline_event.completed",
      event_id,
      session_id: session.sessionId,
      event_type,
      status,
      content,
      timestamp: new Date().toISOString(),
    });
  }
  return events;
}
