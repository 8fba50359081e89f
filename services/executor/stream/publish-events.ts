import type { DataSource } from "typeorm";
import type { Bus } from "#shared/bus/open-bus.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { lastPublishedSeq } from "#shared/bus/last-published-seq.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/** The one publisher of a running session: sends its events strictly by seq. */
export interface EventPublisher extends AsyncDisposable {
  /** Hands over committed events; they are sent in the background. */
  publish(events: readonly SessionEvent[]): void;
  /** Resolves once everything handed over so far was written to the connection (or given up to the notifiers' repair). */
  settled(): Promise<void>;
}

export interface EventPublisherOptions {
  readonly db: DataSource;
  readonly bus: Bus;
  readonly log: Logger;
  readonly sessionId: string;
  /** False after a takeover: what the former owner did not get out is sent first. */
  readonly isFirstOwner: boolean;
}

const PAGE = 100;

/**
 * Opens a session's publisher. Events it did not write itself (a cancel by the api, a former owner's last step) are
 * read from their rows. What the bus loses is not sent again: every reader fills gaps from the same rows.
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

  const send = (event: SessionEvent) => {
    nextSeq = event.seq + 1;
    publishEvent(bus, event).catch((error: unknown) =>
      log.debug({ seq: event.seq, error: errorMessage(error) }, "event not acknowledged by the stream"),
    );
  };

  const sendThrough = async (event: SessionEvent) => {
    // With NATS away nothing waits for it: the next event after its return brings along what was left out.
    if (!bus.isConnected()) return;
    nextSeq ??= (await lastPublishedSeq(bus, sessionId)) + 1;
    while (nextSeq < event.seq) {
      const missed = await readEvents(db, sessionId, {
        afterSeq: nextSeq - 1,
        throughSeq: event.seq - 1,
        limit: PAGE,
      });
      if (missed.length === 0) break;
      for (const one of missed) send(one);
    }
    if (event.seq >= nextSeq) send(event);
  };

  return {
    publish: (events) => {
      for (const event of events) {
        tail = tail
          .then(() => sendThrough(event))
          .catch((error: unknown) =>
            log.warn({ seq: event.seq, error: errorMessage(error) }, "event not published"),
          );
      }
    },
    settled: () => tail,
    [Symbol.asyncDispose]: () => tail,
  };
}
