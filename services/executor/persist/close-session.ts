import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { SESSION_STATUSES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { cancelledByUser, type CancelledError, type TerminalError } from "#shared/errors.ts";
import { closeTimeline } from "./close-timeline.ts";
import { commitStep } from "./commit-step.ts";
import { executionEvent } from "./execution-rows.ts";
import { endSession } from "./session-rows.ts";
import type { SessionWriter } from "./session-writer.ts";

const parseStageRow = compileParser(
  "closed stage row",
  Type.Object({ stage_id: Uuid, stage_name: Type.String(), stage_index: Type.Integer() }),
);
const parseExecutionRow = compileParser(
  "closed execution row",
  Type.Object({
    session_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    agent_name: Type.String(),
    agent_index: Type.Integer(),
  }),
);
const parseStatus = compileParser("session status row", Type.Object({ status: literals(SESSION_STATUSES) }));
const parseAnswer = compileParser("last answer", Type.Object({ content: Type.String() }));

/** Locked first, as the api's cancel does: the later of the two sees what the earlier one wrote. */
const LOCK_STATUS = `SELECT status FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE`;

const CLOSE_EXECUTIONS = `
WITH closed AS (
  UPDATE agent_executions SET status = $2, completed_at = now(), error_message = $3, error_code = $4,
    duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
  WHERE session_id = $1 AND status IN ('pending', 'active')
  RETURNING session_id, stage_id, execution_id, agent_name, agent_index
) SELECT session_id, stage_id, execution_id, agent_name, agent_index FROM closed ORDER BY agent_index`;

const CLOSE_STAGES = `
WITH closed AS (
  UPDATE stages SET status = $2, completed_at = now(), error_message = $3, error_code = $4,
    duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
  WHERE session_id = $1 AND status IN ('pending', 'active')
  RETURNING stage_id, stage_name, stage_index
) SELECT stage_id, stage_name, stage_index FROM closed ORDER BY stage_index`;

const LAST_ANSWER = `
SELECT answer.content FROM timeline_events answer
JOIN agent_executions USING (execution_id) JOIN stages ON stages.stage_id = agent_executions.stage_id
WHERE answer.session_id = $1 AND answer.event_type = 'final_analysis' AND answer.status = 'completed'
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
  const { sessionId } = session;
  let [status, error] = [requested, reason];
  const write = async (manager: EntityManager) => {
    const [row] = await selectRows(manager, parseStatus, LOCK_STATUS, [sessionId]);
    if (row?.status === "cancelling") {
      [status, error] = ["cancelled", cancelledByUser()];
    }
    const ended = { status, errorMessage: error.message, errorCode: error.code };
    const [answer] = await selectRows(manager, parseAnswer, LAST_ANSWER, [sessionId]);
    return {
      events: [
        ...(await closeTimeline(manager, session, status)),
        ...(await closeRuns(manager, sessionId, ended)),
        ...(await endSession(manager, sessionId, ended, { finalAnalysis: answer?.content ?? null })),
      ],
    };
  };
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  await commitStep(session, write, "close");
  session.log.info({ status, reason: error.message }, "session closed");
  return status;
}

async function closeRuns(
  manager: EntityManager,
  sessionId: string,
  { status, errorMessage, errorCode }: { status: TerminalStatus; errorMessage: string; errorCode: string },
): Promise<UnstampedPayload[]> {
  const parameters = [sessionId, status, errorMessage, errorCode];
  const executions = await selectRows(manager, parseExecutionRow, CLOSE_EXECUTIONS, parameters);
  const stages = await selectRows(manager, parseStageRow, CLOSE_STAGES, parameters);
  return [
    ...executions.map((execution) => executionEvent(execution, status)),
    ...stages.map((stage) => {
      return { type: "stage.completed", session_id: sessionId, ...stage, status } as const;
    }),
  ];
}
