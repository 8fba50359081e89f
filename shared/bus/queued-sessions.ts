import type { Bus } from "#shared/bus/open-bus.ts";
import { SESSIONS_STREAM, SUBJECTS, lastToken } from "#shared/contracts/subjects.ts";

/** The ids of all sessions whose wake-up the stream holds: queued, delivered or delayed. Rejects with NATS away. */
export async function queuedSessions(bus: Bus): Promise<ReadonlySet<string>> {
  const { state } = await bus.jsm.streams.info(SESSIONS_STREAM, { subjects_filter: SUBJECTS.allSessions });
  return new Set(Object.keys(state.subjects ?? {}).map(lastToken));
}
