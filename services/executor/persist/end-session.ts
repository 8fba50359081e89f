import type { EntityManager } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import type { RunOutcome } from "../stage-outcome.ts";

/** What a session leaves to its reader; null is what it does not have. */
export interface SessionFindings {
  readonly finalAnalysis: string | null;
  readonly executiveSummary?: string | null;
  /** Why there is no executive summary although one was asked for. */
  readonly executiveSummaryError?: string | null;
}

/** Writes a session's terminal row in the running transaction and returns the two events that announce it. */
export async function endSession(
  manager: EntityManager,
  sessionId: string,
  { status, errorMessage, errorCode }: RunOutcome,
  { finalAnalysis, executiveSummary = null, executiveSummaryError = null }: SessionFindings,
): Promise<SessionEventPayload[]> {
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
    timestamp: new Date().toISOString(),
  };
  return [
    { type: "session.status", ...fields },
    { type: "session.completed", ...fields },
  ];
}
