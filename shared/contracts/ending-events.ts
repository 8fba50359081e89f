import { REVIEW_SYSTEM, reviewAtEnd } from "#shared/contracts/review.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";

/**
 * The events with which a session ends, in the api or in an executor: its status, the beginning of its review, and `session.completed`,
 * after which only reviews by people follow. `errorMessage` is null where there is none.
 */
export function endingEvents(
  session_id: string,
  status: TerminalStatus,
  errorMessage: string | null,
): UnstampedPayload[] {
  const fields = { session_id, status, ...(errorMessage === null ? {} : { error_message: errorMessage }) };
  return [
    { type: "session.status", ...fields },
    { type: "review.status", session_id, review_status: reviewAtEnd(status), actor: REVIEW_SYSTEM },
    { type: "session.completed", ...fields },
  ];
}
