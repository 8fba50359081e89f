import { endingEvents } from "#shared/contracts/ending-events.ts";
import type { RunOutcome, StepRecord } from "./step-record.ts";

/** The results stored with a session; null where it has none. */
interface SessionFindings {
  readonly finalAnalysis: string | null;
  readonly executiveSummary?: string | null;
  /** Why there is no executive summary although one was requested. */
  readonly executiveSummaryError?: string | null;
}

/**
 * The step that records how a session ended, with its events; the database begins its review. `follows` is the work that begins
 * with the end.
 */
export function endSession(
  session_id: string,
  { status, errorMessage, errorCode }: RunOutcome,
  { finalAnalysis, executiveSummary = null, executiveSummaryError = null }: SessionFindings,
  follows: Pick<StepRecord, "rows" | "events"> = { rows: {}, events: [] },
): StepRecord {
  return {
    rows: {
      ...follows.rows,
      session: {
        end: {
          status,
          error_message: errorMessage,
          error_code: errorCode,
          final_analysis: finalAnalysis,
          executive_summary: executiveSummary,
          executive_summary_error: executiveSummaryError,
        },
      },
    },
    events: [...endingEvents(session_id, status, errorMessage), ...follows.events],
  };
}
