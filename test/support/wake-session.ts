import { SessionWaker } from "#shared/bus/session-waker.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { Lane } from "#shared/contracts/subjects.ts";

/**
 * Publishes one session's wake-up to the queue of its lane. Resolves `queued`, or `already_queued` when the stream still
 * holds one for this session. Rejects when NATS does not answer, and with RetryableError `stream_full` when the stream
 * is full. For many sessions a `SessionWaker` costs less.
 */
export async function wakeSession(
  bus: Bus,
  sessionId: string,
  lane: Lane = "normal",
): Promise<"queued" | "already_queued"> {
  using waker = new SessionWaker(bus);
  const [result] = await waker.wake([{ sessionId, lane }]);
  if (typeof result === "string") return result;
  throw result ?? new Error("no result of the wake-up");
}
