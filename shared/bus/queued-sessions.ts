import type { Bus } from "#shared/bus/open-bus.ts";
import { lastToken } from "#shared/contracts/subjects.ts";
import { SESSIONS_QUEUE, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";

/** Ids of all sessions with a wake-up in the queue: queued, delivered or delayed. Rejects if NATS does not answer. */
export async function queuedSessions(
  bus: Bus,
  { stream }: WakeUpQueue = SESSIONS_QUEUE,
): Promise<ReadonlySet<string>> {
  const { state } = await bus.jsm.streams.info(stream, { subjects_filter: ">" });
  return new Set(Object.keys(state.subjects ?? {}).map(lastToken));
}
