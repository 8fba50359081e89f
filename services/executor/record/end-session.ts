import type { EntityManager } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import type { RunOutcome } from "../next-session-step.ts";

/**
 * Writes a session's terminal row in the running transaction and returns the two events that announce it.
 * `finalAnalysis` null leaves what the row has.
 */
export async function endSession(
  manager: EntityManager,
  sessionId: string,
  { status, errorMessage, errorCode }: RunOutcome,
  finalAnalysis: string | null,
): Promise<SessionEventPayload[]> {
  await manager.update(
    AlertSessionEntity,
    { session_id: sessionId },
    {
      status,
      completed_at: () => "now()",
      error_message: errorMessage,
      error_code: errorCode,
      ...(finalAnalysis === null ? {} : { final_analysis: finalAnalysis }),
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
