import type { StoredEvent } from "#shared/contracts/session-event.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { RETRY_MS, liveEvents, type LiveEventsOptions } from "./live-events.ts";

interface SseStreamOptions extends LiveEventsOptions {
  /** The stream goes on after the session's end, with the events of what follows. */
  readonly followsAll: boolean;
}

/** The field `retry` tells browsers how long to wait before they reconnect. */
const PREAMBLE = `retry: ${RETRY_MS}\n\n`;
/** A comment, which keeps a connection open on which nothing else is sent. */
export const HEARTBEAT = ": still here\n\n";

/**
 * Yields a session's events as Server-Sent Events, and a comment while there is none. Ends, unless it follows all, when the session ends,
 * or after the last event that a session that was over had; and as `liveEvents` does.
 */
export async function* sseStream({
  followsAll,
  ...options
}: SseStreamOptions): AsyncGenerator<string, void, undefined> {
  yield PREAMBLE;
  for await (const next of liveEvents(options)) {
    if (next === "caught_up") continue;
    if (next === "waiting") {
      yield HEARTBEAT;
      continue;
    }
    yield frame(next);
    // Of a session that is over, reviews may follow.
    if (next.payload.type === "session.completed" && options.lastSeq === undefined && !followsAll) return;
  }
}

function frame(event: StoredEvent): string {
  // JSON.stringify escapes line breaks, so one data line is enough.
  return `id: ${event.seq}\nevent: ${event.payload.type}\ndata: ${JSON.stringify(wireEvent(event))}\n\n`;
}
