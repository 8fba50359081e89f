import type { OwnedSession } from "../owned-session.ts";
import type { RunOutcome } from "../stage-outcome.ts";
import { commitStep } from "./commit-step.ts";
import { endSession } from "./end-session.ts";

/** Writes how the session ended; refused when a cancel came first, answer in hand or not. */
export async function finishSession(
  session: OwnedSession,
  end: RunOutcome,
  finalAnalysis: string | null,
): Promise<void> {
  await commitStep(
    session,
    async (manager) => ({ events: await endSession(manager, session.sessionId, end, { finalAnalysis }) }),
    "finish",
  );
}
