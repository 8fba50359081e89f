import type { Bus } from "#shared/bus/open-bus.ts";
import {
  MAX_INLINE_PAYLOAD_BYTES,
  belongsToFeed,
  busEventCodec,
  type StoredEvent,
} from "#shared/contracts/session-event.ts";
import { SUBJECTS, EVENTS_STREAM } from "#shared/contracts/subjects.ts";
import { MESSAGE_NOT_FOUND, jetStreamError } from "#shared/bus/jetstream-error.ts";

/**
 * Publishes one committed event to EVENTS and, if it is about the session as a whole, to the feed, after everything sent
 * on this connection before. The stream's acknowledgement is not asked for: it would cost as much as the message again,
 * and readers fill gaps from the event's row. Does nothing while disconnected: the message is lost.
 */
export function publishEvent(bus: Bus, event: StoredEvent): void {
  if (bus.connection.isClosed()) return;
  const { session_id, seq, db_event_id, payload } = event;
  const whole = busEventCodec.encode({ session_id, seq, db_event_id, payload });
  const bytes =
    whole.length <= MAX_INLINE_PAYLOAD_BYTES ? whole : busEventCodec.encode({ session_id, seq, db_event_id });
  if (belongsToFeed(payload)) bus.connection.publish(SUBJECTS.feed(session_id), bytes);
  bus.connection.publish(SUBJECTS.events(session_id), bytes);
}

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
