import { eventsLost } from "#shared/database/events-purged.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import type { StoredEvents } from "../feed/stored-events.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import type { EventFrame } from "../outbox/frames.ts";

/** The start of a history: after the event with this `seq`, which has this `db_event_id` if that is given, or after this `db_event_id`. */
export type Cursor =
  | { readonly afterSeq: number; readonly lastEventId?: number | undefined }
  | { readonly lastEventId: number };

/**
 * The `seq` after which a subscription starts. Throws TerminalError `events_lost` for an event that is not stored, RetryableError if too many clients wait, and the signal's reason.
 */
export async function resolveCursor(feed: SessionFeed, cursor: Cursor, signal: AbortSignal): Promise<number> {
  if (!("afterSeq" in cursor)) return feed.seqAt(cursor.lastEventId, signal);
  const { afterSeq, lastEventId } = cursor;
  if (await feed.lacks(afterSeq, signal)) throw eventsLost(feed.sessionId);
  const isOther = lastEventId !== undefined && (await feed.hasOther(afterSeq, lastEventId, signal));
  if (isOther) throw eventsLost(feed.sessionId);
  return afterSeq;
}

interface HistoryRequest {
  readonly events: StoredEvents;
  readonly afterSeq: number;
  /** The most events to deliver; all by default. */
  readonly limit?: number;
  readonly outbox: ClientOutbox;
  readonly deliver: (event: EventFrame) => void;
  readonly signal: AbortSignal;
}

/**
 * Delivers the stored events after `afterSeq` up to the newest, ascending, at the pace at which the client reads.
 * Resolves with the `seq` of the last one. Waits while Postgres is unavailable; throws the signal's reason.
 */
export async function sendHistory(request: HistoryRequest): Promise<number> {
  const { events, afterSeq, limit = Infinity, outbox, signal } = request;
  const end = () => Math.min(events.lastSeq, afterSeq + limit);
  let position = afterSeq;
  while (position < end()) {
    signal.throwIfAborted();
    // A client that reads slowly keeps no events of its own in memory: it finds them again when it has read on.
    if (!outbox.hasRoomForChunks) await outbox.drained(signal);
    position = deliverWhileRoom(
      request,
      end(),
      events.recall(position) ?? (await events.read(position, signal)),
    );
  }
  return position;
}

/** Delivers events up to the number `through` until the client has to read on; returns the last one delivered. */
function deliverWhileRoom(
  { outbox, deliver, signal }: HistoryRequest,
  through: number,
  events: readonly EventFrame[],
): number {
  signal.throwIfAborted();
  let last = (events[0]?.seq ?? 1) - 1;
  outbox.together(() => {
    for (const event of events) {
      if (event.seq > through) break;
      deliver(event);
      last = event.seq;
      if (!outbox.hasRoomForChunks) break;
    }
  });
  return last;
}
