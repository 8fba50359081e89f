import { isStoredMessage, type NumberedEvent } from "./session-message.ts";

/** A page of `GET /api/v1/sessions/:id/events`, as far as it is needed here. */
interface EventsPage {
  readonly events: readonly unknown[];
  readonly has_more: boolean;
}

interface HistoryOptions {
  /** Events up to this one are known. */
  readonly afterSeq: number;
  /** Reads the events after this one; undefined if there are none. */
  readonly readPage: (afterSeq: number) => Promise<EventsPage | undefined>;
  readonly onEvents: (events: readonly NumberedEvent[]) => void;
}

/**
 * Reads what a session has stored after an event, page after page: ten thousand events come several times faster so than one by one
 * over a socket. Each page is asked for before the one before it is worked on.
 */
export async function readHistory({ afterSeq, readPage, onEvents }: HistoryOptions): Promise<void> {
  let reading: ReturnType<typeof readPage> | undefined = readPage(afterSeq);
  while (reading !== undefined) {
    const page: EventsPage | undefined = await reading;
    const events: readonly NumberedEvent[] = (page?.events ?? []).filter(isStoredMessage);
    const last: NumberedEvent | undefined = events.at(-1);
    reading = page?.has_more === true && last !== undefined ? readPage(last.seq) : undefined;
    // A failure is thrown when the page is waited for.
    reading?.catch(() => undefined);
    onEvents(events);
  }
}
