import { STREAM_STORE_FAILED, jetStreamError } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-wakeup.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { RetryableError } from "#shared/errors.ts";

const PUBLISH_TIMEOUT_MS = 2_000;
/** "maximum messages per subject exceeded"; a full stream has the same error code with another description. */
const SUBJECT_LIMIT = /per subject/iu;

/**
 * Publishes a session's wake-up to SESSIONS. Resolves `queued`, or `already_queued` when the stream still holds one
 * for this session. Rejects when NATS does not answer, and with RetryableError `wakeup_refused` when the stream is
 * full; the sweeper then sends the wake-up again.
 */
export async function wakeSession(bus: Bus, sessionId: string): Promise<"queued" | "already_queued"> {
  try {
    // No message id: the stream's deduplication would drop the next wake-up of the session as a repetition.
    await bus.js.publish(SUBJECTS.sessions(sessionId), sessionWakeupCodec.encode({ session_id: sessionId }), {
      timeout: PUBLISH_TIMEOUT_MS,
    });
    return "queued";
  } catch (error) {
    const rejection = jetStreamError(error);
    if (rejection?.code !== STREAM_STORE_FAILED) throw error;
    if (SUBJECT_LIMIT.test(rejection.description)) return "already_queued";
    // The client's own message is only "503".
    throw new RetryableError("wakeup_refused", `the stream refused a wake-up: ${rejection.description}`, {
      cause: error,
    });
  }
}
