import type { Bus } from "#shared/bus/open-bus.ts";
import { publishEvent, lastPublishedSeq } from "#shared/bus/publish-event.ts";
import type { StoredEvent } from "#shared/contracts/session-event.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { Database } from "#shared/database/database.ts";

/** The publisher of a running session. Sends its events in the order of their seq. */
export interface EventPublisher extends AsyncDisposable {
  /** Queues committed events; they are sent in the background. */
  publish(events: readonly StoredEvent[]): void;
  /** Resolves once all events queued so far are written to the connection or skipped; notifiers re-read skipped events. */
  settled(): Promise<void>;
}

interface EventPublisherOptions {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
  readonly sessionId: string;
  /** False after a takeover: events that the former owner did not publish are sent first. */
  readonly isFirstOwner: boolean;
}

const PAGE_SIZE = 100;

/**
 * Opens a session's publisher. Events that were committed elsewhere (a cancel by the api, a former owner's last step)
 * are read from their rows. Events lost on the bus are not sent again: every reader fills gaps from the same rows.
 */
export function openEventPublisher({
  db,
  bus,
  log,
  sessionId,
  isFirstOwner,
}: EventPublisherOptions): EventPublisher {
  let nextSeq: number | undefined = isFirstOwner ? 1 : undefined;
  let tail: Promise<void> = Promise.resolve();

  const send = (event: StoredEvent) => {
    nextSeq = event.seq + 1;
    publishEvent(bus, event);
  };

  /** The seq to go on with. If the stream cannot be asked, the event's own: readers fill the gap from the rows. */
  const firstUnpublished = async (event: StoredEvent): Promise<number> => {
    try {
      return (await lastPublishedSeq(bus, sessionId)) + 1;
    } catch (error) {
      log.warn({ seq: event.seq, error: errorMessage(error) }, "earlier events not looked up");
      return event.seq;
    }
  };

  const sendUpTo = async (event: StoredEvent) => {
    nextSeq ??= await firstUnpublished(event);
    while (nextSeq < event.seq) {
      const missed = await readEvents(db, sessionId, {
        afterSeq: nextSeq - 1,
        throughSeq: event.seq - 1,
        limit: PAGE_SIZE,
      });
      if (missed.length === 0) break;
      for (const earlier of missed) send(earlier);
    }
    if (event.seq >= nextSeq) send(event);
  };

  const sendAll = async (events: readonly StoredEvent[]) => {
    for (const event of events) {
      // Without NATS, events are skipped; the first event after the reconnect also sends the skipped ones.
      if (!bus.isConnected()) continue;
      try {
        // Nothing is awaited between the events of a commit: the client joins what is published together.
        if (event.seq === nextSeq) send(event);
        else await sendUpTo(event);
      } catch (error) {
        log.warn({ seq: event.seq, error: errorMessage(error) }, "event not published");
      }
    }
  };

  return {
    publish: (events) => {
      tail = tail.then(() => sendAll(events));
    },
    settled: () => tail,
    [Symbol.asyncDispose]: () => tail,
  };
}
