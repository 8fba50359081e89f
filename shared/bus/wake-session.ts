import { NatsError } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-wakeup.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { RetryableError } from "#shared/errors.ts";

const PUBLISH_TIMEOUT_MS = 2_000;
/** "maximum messages per subject exceeded"; a full stream answers with the same code and another description. */
const STREAM_STORE_FAILED = 10_077;
const REFUSED_PER_SUBJECT = /per subject/iu;

/**
 * Puts a session's wake-up into SESSIONS. Resolves `queued`, or `already_queued` when the stream still holds one for
 * this session. Rejects when NATS does not answer, or with RetryableError
 * `wakeup_refused` when the stream is full: the sweeper then brings the session back.
 */
export async function wakeSession(bus: Bus, sessionId: string): Promise<"queued" | "already_queued"> {
  try {
    // No message id: a publish repeated with the same id after the acknowledgement would wake nobody.
    await bus.js.publish(SUBJECTS.sessions(sessionId), sessionWakeupCodec.encode({ session_id: sessionId }), {
      timeout: PUBLISH_TIMEOUT_MS,
    });
    return "queued";
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== STREAM_STORE_FAILED) throw error;
    const { description } = error.api_error;
    if (REFUSED_PER_SUBJECT.test(description)) return "already_queued";
    // The client's own message is a bare "503".
    throw new RetryableError("wakeup_refused", `the stream refused a wake-up: ${description}`, {
      cause: error,
    });
  }
}
