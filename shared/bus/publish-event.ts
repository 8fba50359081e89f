import type { Bus } from "#shared/bus/open-bus.ts";
import {
  MAX_INLINE_PAYLOAD_BYTES,
  belongsToFeed,
  busEventCodec,
  type SessionEvent,
} from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

const PUBLISH_TIMEOUT_MS = 2_000;

/**
 * Publishes one committed event to EVENTS and, if it is about the session as a whole, to the feed. The message is in
 * the connection's send buffer when the call returns. The promise settles with the stream's acknowledgement; callers
 * may ignore it, because readers fill gaps from the event's row. Rejects at once while disconnected.
 */
export async function publishEvent(bus: Bus, event: SessionEvent): Promise<void> {
  const { session_id, seq, db_event_id, payload } = event;
  const whole = busEventCodec.encode({ session_id, seq, db_event_id, payload });
  const bytes =
    whole.length <= MAX_INLINE_PAYLOAD_BYTES ? whole : busEventCodec.encode({ session_id, seq, db_event_id });
  if (belongsToFeed(payload)) bus.connection.publish(SUBJECTS.feed(session_id), bytes);
  await bus.js.publish(SUBJECTS.events(session_id), bytes, { timeout: PUBLISH_TIMEOUT_MS });
}
