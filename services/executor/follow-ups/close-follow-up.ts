import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import { CancelledError, cancelledByUser, type TerminalError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { closeApprovals } from "../persist/approval-rows.ts";
import { closeTimeline } from "../persist/close-session.ts";
import { commitLocked, type CommitKind } from "../persist/commit-step.ts";
import { executionEvent } from "../persist/execution-rows.ts";
import type { SessionWriter } from "../persist/session-writer.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { checkedScore } from "../features/scoring/checked-score.ts";
import { loadReplies, endFollowUp } from "./follow-up-steps.ts";
import type { ExecutionState, FollowUpState, SessionState } from "../state/session-state.ts";
import { loadRuns } from "../state/session-state.ts";
import { isOpen } from "../state/step-rows.ts";

type EarlyEnd = Exclude<TerminalStatus, "completed">;

/**
 * Ends an open follow-up early, in one transaction: open timeline rows of its stage keep their content and get the status, so
 * do its executions and its stage. The session and its other follow-ups are not affected. Ends it as `cancelled` if a cancel
 * was recorded before.
 */
export async function closeFollowUp(
  session: SessionWriter,
  followUp: FollowUpState,
  requested: EarlyEnd,
  reason: CancelledError | TerminalError,
): Promise<void> {
  try {
    await close(
      session,
      followUp,
      { status: requested, reason },
      requested === "cancelled" ? "close" : "step",
    );
  } catch (error) {
    const isCancelled = error instanceof CancelledError && error.reason === "user";
    if (requested === "cancelled" || !isCancelled) throw error;
    await close(session, followUp, { status: "cancelled", reason: cancelledByUser() }, "close");
  }
}

async function close(
  session: SessionWriter,
  followUp: FollowUpState,
  { status, reason }: { readonly status: EarlyEnd; readonly reason: CancelledError | TerminalError },
  kind: CommitKind,
): Promise<void> {
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  const closing = { status, message: postgresSafeText(reason.message).text, code: reason.code };
  const closed: string[] = [];
  const decide = async (rows: Queryable) => {
    const steps = await closingSteps(session, rows, followUp, closing);
    closed.push(
      ...steps.flatMap(({ rows: { timelineEnds = [] } }) => timelineEnds.map((end) => end.event_id)),
    );
    return steps;
  };
  await commitLocked(session, decide, kind);
  for (const eventId of closed) session.streams.forget(eventId);
  const { follow_up_id, kind: work } = followUp;
  session.log.info({ follow_up_id, kind: work, status, reason: reason.message }, "follow-up closed");
}

async function closingSteps(
  session: SessionWriter,
  db: Queryable,
  followUp: FollowUpState,
  closing: { readonly status: EarlyEnd; readonly message: string; readonly code: string },
): Promise<StepRecord[]> {
  const { stages, executions } = await loadRuns(db, session.sessionId);
  const stage = stages.find(({ stage_id }) => stage_id === followUp.stage_id);
  if (stage === undefined) throw new Error(`follow-up ${followUp.follow_up_id} has no stage`);
  const { status, message, code } = closing;
  const open = openExecutions({ executions }, followUp);
  const ending = { status, error_message: message, error_code: code };
  const runs: StepRecord = {
    rows: { executionChanges: open.map(({ execution_id }) => ({ execution_id, end: ending })) },
    events: open.map((execution) => executionEvent(execution, status, message)),
  };
  const before: StepRecord[] = [];
  for (const { execution_id: executionId } of open) {
    before.push(await closeTimeline(session, db, status, executionId));
    before.push(await closeApprovals(db, session.sessionId, { executionId }));
  }
  const replies = followUp.kind === "score" ? await loadReplies(db, stage, []) : [];
  const judged = await checkedScore(db, session.sessionId, replies);
  const end = endFollowUp(followUp, stage, { status, errorMessage: message, errorCode: code }, judged);
  return [...before, runs, ...end];
}

function openExecutions(
  { executions }: Pick<SessionState, "executions">,
  { stage_id }: FollowUpState,
): ExecutionState[] {
  return executions.filter((execution) => execution.stage_id === stage_id && isOpen(execution.status));
}
