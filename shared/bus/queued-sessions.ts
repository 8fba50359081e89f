import type { Bus } from "#shared/bus/open-bus.ts";
import { SESSIONS_STREAM, SUBJECTS, lastToken } from "#shared/contracts/subjects.ts";

/** Ids of all sessions with a wake-up in SESSIONS: queued, delivered or delayed. Rejects if NATS does not answer. */
export async function queuedSessions(bus: Bus): Promise<ReadonlySet<string>> {
  const { state } = await bus.jsm.streams.info(SESSIONS_STREAM, { subjects_filter: SUBJECTS.allSessions });
  return new Set(Object.keys(state.subjects ?? {}).map(lastToken));
}
