import type { Bus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-message.ts";
import { MAX_DELTA_CODE_UNITS } from "#shared/contracts/stream-chunk.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { EventPublisher } from "./publish-events.ts";

/** The live text of one open timeline event. */
export interface LiveStream {
  readonly eventId: string;
  readonly attempt: number;
  /** Whether an earlier attempt may have written another text. */
  readonly isRepeated: boolean;
  /** Length of the text so far, in code units. */
  readonly length: number;
  /** The whole text so far, Postgres-safe. */
  text(): string;
  append(delta: string): void;
  /** Sends the pending text. The completed event must not be committed before this resolves. */
  flush(): Promise<void>;
}

interface StreamOptions {
  readonly isRepeated?: boolean;
  /** The parent of the sub-agent whose text it is; undefined for other agents. */
  readonly parentExecutionId?: string | undefined;
}

/** The live texts of one session. */
export interface LiveStreams extends AsyncDisposable {
  /** Opens a live text whose `created` event has been passed to the publisher. */
  open(eventId: string, attempt: number, options?: StreamOptions): LiveStream;
  /** The text so far of an event; undefined if none is open. */
  textOf(eventId: string): string | undefined;
  all(): readonly LiveStream[];
  /** Removes a live text after its completed event is committed. */
  forget(eventId: string): void;
}

/**
 * Opens a session's live texts. Chunks are sent on the same connection as the events, after their `created` event and
 * before their `completed` one. Text that arrives during a flush to the server is sent as one chunk after it, so a
 * live text sends at most one chunk per round trip, however fast the model generates.
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
        ...(stream.parentExecutionId === undefined ? {} : { parent_execution_id: stream.parentExecutionId }),
        attempt: stream.attempt,
        offset: delta.offset,
        delta: delta.text,
        timestamp: new Date().toISOString(),
      });
    }
  };

  const pump = async () => {
    while ([...streams.values()].some((stream) => stream.hasPending())) {
      // The wait covers only the `created` events of live texts that are open before it.
      const open = [...streams.values()];
      await publisher.settled();
      for (const stream of open) sendPending(stream);
      await bus.flush().catch(() => undefined); // the completed event contains the text of lost chunks
    }
  };

  return {
    open: (eventId, attempt, { isRepeated = false, parentExecutionId } = {}) => {
      const stream = new PendingStream(
        { eventId, attempt, isRepeated, parentExecutionId },
        {
          grew: () => {
            pumping ??= pump().finally(() => (pumping = undefined));
          },
          flush: async () => {
            await publisher.settled();
            sendPending(stream);
          },
        },
      );
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

/** Stores the text in parts: appending to one string and slicing it would copy the whole text for every chunk. */
class PendingStream implements LiveStream {
  readonly eventId: string;
  readonly attempt: number;
  readonly isRepeated: boolean;
  readonly parentExecutionId: string | undefined;
  readonly #on: { grew: () => void; flush: () => Promise<void> };
  readonly #parts: string[] = [];
  #pending = "";
  #sent = 0;
  #length = 0;

  constructor(
    {
      eventId,
      attempt,
      isRepeated,
      parentExecutionId,
    }: Pick<PendingStream, "eventId" | "attempt" | "isRepeated" | "parentExecutionId">,
    on: { grew: () => void; flush: () => Promise<void> },
  ) {
    this.eventId = eventId;
    this.attempt = attempt;
    this.isRepeated = isRepeated;
    this.parentExecutionId = parentExecutionId;
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

  /** Removes and returns the pending text, in chunks of at most MAX_DELTA_CODE_UNITS. */
  take(): { offset: number; text: string }[] {
    const chunks = [];
    for (let rest = this.#pending; rest !== "";) {
      const text = rest.slice(0, safeCut(rest, MAX_DELTA_CODE_UNITS));
      chunks.push({ offset: this.#sent, text });
      this.#sent += text.length;
      rest = rest.slice(text.length);
    }
    this.#pending = "";
    return chunks;
  }
}
