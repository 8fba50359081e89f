import { MESSAGE_NOT_FOUND, jetStreamError } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { EVENTS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";

/** The seq of the newest event of this session in EVENTS, 0 if there is none. Rejects when NATS does not answer. */
export async function lastPublishedSeq(bus: Bus, sessionId: string): Promise<number> {
  try {
    const message = await bus.jsm.streams.getMessage(EVENTS_STREAM, {
      last_by_subj: SUBJECTS.events(sessionId),
    });
    return busEventCodec.decode(message.data).seq;
  } catch (error) {
    if (jetStreamError(error)?.code === MESSAGE_NOT_FOUND) return 0;
    throw error;
  }
}
