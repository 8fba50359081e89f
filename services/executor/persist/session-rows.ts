import type { EntityManager } from "typeorm";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
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
