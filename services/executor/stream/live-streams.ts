import type { Bus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-chunk.ts";
import { MAX_DELTA_CODE_UNITS } from "#shared/contracts/stream-chunk.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/surrogate-guard.ts";
import type { EventPublisher } from "./publish-events.ts";

/** The growing text of one open timeline event. */
export interface LiveStream {
  readonly eventId: string;
  readonly attempt: number;
  /** UTF-16 units so far. */
  readonly length: number;
  /** The whole text so far, as it will be stored. */
  text(): string;
  append(delta: string): void;
  /** Sends what is left; the completed event may be committed once this resolves. */
  flush(): Promise<void>;
}

/** The open streams of one session. */
export interface LiveStreams extends AsyncDisposable {
  /** Opens a stream whose `created` event has been handed to the publisher. */
  open(eventId: string, attempt: number): LiveStream;
  /** What an event that was not forgotten holds so far. */
  textOf(eventId: string): string | undefined;
  all(): readonly LiveStream[];
  /** Lets go of a stream whose completed event is committed. */
  forget(eventId: string): void;
}

/**
 * Chunks go out on the connection that also carries the events, never before their `created` event and never after
 * their `completed` one. What arrives while a flush to the server is under way leaves in one piece behind it: one
 * round trip is the pace, however fast the model writes.
 */
export function openLiveStreams({
  bus,
  sessionId,
  publisher,
}: {
  readonly bus: Bus;
  readonly sessionId: string;
  readonly publisher: EventPublisher;
}): LiveStreams {
  const streams = new Map<string, PendingStream>();
  let pumping: Promise<void> | undefined;

  const sendPending = (stream: PendingStream) => {
    for (const delta of stream.take()) {
      publishChunk(bus, {
        type: "stream.chunk",
        session_id: sessionId,
        event_id: stream.eventId,
        attempt: stream.attempt,
        offset: delta.offset,
        delta: delta.text,
        timestamp: new Date().toISOString(),
      });
    }
  };

  const pump = async () => {
    while ([...streams.values()].some((stream) => stream.hasPending())) {
      // Only the `created` events of streams that are open by now were handed over before this wait.
      const announced = [...streams.values()];
      await publisher.settled();
      for (const stream of announced) sendPending(stream);
      await bus.connection.flush().catch(() => undefined); // lost chunks are in the completed event
    }
  };

  return {
    open: (eventId, attempt) => {
      const stream = new PendingStream(eventId, attempt, {
        grew: () => {
          pumping ??= pump().finally(() => (pumping = undefined));
        },
        flush: async () => {
          await publisher.settled();
          sendPending(stream);
        },
      });
      streams.set(eventId, stream);
      return stream;
    },
    textOf: (eventId) => streams.get(eventId)?.text(),
    all: () => [...streams.values()],
    forget: (eventId) => void streams.delete(eventId),
    [Symbol.asyncDispose]: async () => {
      streams.clear();
      await pumping;
    },
  };
}

/** Keeps the text in pieces: appending to one string and slicing it would copy the whole text for every chunk. */
class PendingStream implements LiveStream {
  readonly eventId: string;
  readonly attempt: number;
  readonly #on: { grew: () => void; flush: () => Promise<void> };
  readonly #parts: string[] = [];
  #pending = "";
  #sent = 0;
  #length = 0;

  constructor(eventId: string, attempt: number, on: { grew: () => void; flush: () => Promise<void> }) {
    this.eventId = eventId;
    this.attempt = attempt;
    this.#on = on;
  }

  get length(): number {
    return this.#length;
  }

  text(): string {
    return this.#parts.join("");
  }

  append(delta: string): void {
    const { text } = postgresSafeText(delta);
    this.#parts.push(text);
    this.#pending += text;
    this.#length += text.length;
    this.#on.grew();
  }

  flush(): Promise<void> {
    return this.#on.flush();
  }

  hasPending(): boolean {
    return this.#pending !== "";
  }

  /** Removes and returns what has not been sent, in pieces that fit a message. */
  take(): { offset: number; text: string }[] {
    const pieces = [];
    for (let rest = this.#pending; rest !== "";) {
      const piece = rest.slice(0, safeCut(rest, MAX_DELTA_CODE_UNITS));
      pieces.push({ offset: this.#sent, text: piece });
      this.#sent += piece.length;
      rest = rest.slice(piece.length);
    }
    this.#pending = "";
    return pieces;
  }
}
