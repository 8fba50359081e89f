import type { EntityManager } from "typeorm";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { jitter } from "#shared/pause.ts";
import { commitStep } from "./commit-step.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { SessionWriter } from "./session-writer.ts";

/** The results stored with a session; null where it has none. */
interface SessionFindings {
  readonly finalAnalysis: string | null;
  readonly executiveSummary?: string | null;
  /** Why there is no executive summary although one was requested. */
  readonly executiveSummaryError?: string | null;
}

/** Commits how the session ended. The fence refuses it after a cancel, even with an answer. */
export async function finishSession(
  session: SessionWriter,
  outcome: RunOutcome,
  finalAnalysis: string | null,
): Promise<void> {
  await commitStep(
    session,
    async (manager) => ({ events: await endSession(manager, session.sessionId, outcome, { finalAnalysis }) }),
    "finish",
  );
}

/** Within a step's transaction: writes a session's terminal row and returns its two events. */
export async function endSession(
  manager: EntityManager,
  sessionId: string,
  { status, errorMessage, errorCode }: RunOutcome,
  { finalAnalysis, executiveSummary = null, executiveSummaryError = null }: SessionFindings,
): Promise<UnstampedPayload[]> {
  await manager.update(
    AlertSessionEntity,
    { session_id: sessionId },
    {
      status,
      completed_at: () => "now()",
      error_message: errorMessage,
      error_code: errorCode,
      final_analysis: finalAnalysis,
      executive_summary: executiveSummary,
      executive_summary_error: executiveSummaryError,
    },
  );
  const fields = {
    session_id: sessionId,
    status,
    ...(errorMessage === null ? {} : { error_message: errorMessage }),
  };
  return [
    { type: "session.status", ...fields },
    { type: "session.completed", ...fields },
  ];
}

/**
 * Releases a session's lease before the session is terminal. An orderly release uses up no attempt, and the session can
 * be claimed immediately. One after a failed run counts as an attempt and defers the session by 1 s, doubled with each
 * attempt up to 32 s and jittered, so that a session that always fails neither spins nor occupies a slot. Does nothing if
 * another executor owns the session.
 */
export async function releaseSession(
  { db, sessionId, epoch }: Pick<SessionWriter, "db" | "sessionId" | "epoch">,
  { countsAsAttempt }: { readonly countsAsAttempt: boolean },
): Promise<void> {
  if (!countsAsAttempt) {
    await db.query(
      `UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL WHERE session_id = $1 AND lease_epoch = $2`,
      [sessionId, epoch],
    );
    return;
  }
  await db.query(
    `UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL, attempts = attempts + 1,
       not_before = now() + make_interval(secs => power(2, least(attempts, 5)) * $3::float8)
     WHERE session_id = $1 AND lease_epoch = $2`,
    [sessionId, epoch, jitter(1)],
  );
}
