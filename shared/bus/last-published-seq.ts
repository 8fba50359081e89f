import { NatsError } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { EVENTS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";

const NO_MESSAGE_FOUND = 10_037;

/** The seq of the newest event of this session in EVENTS, 0 if there is none. Rejects when NATS does not answer. */
export async function lastPublishedSeq(bus: Bus, sessionId: string): Promise<number> {
  try {
    const message = await bus.jsm.streams.getMessage(EVENTS_STREAM, {
      last_by_subj: SUBJECTS.events(sessionId),
    });
    return busEventCodec.decode(message.data).seq;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === NO_MESSAGE_FOUND) return 0;
    throw error;
  }
}
