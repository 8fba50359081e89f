import type { Bus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-message.ts";
import { MAX_DELTA_CODE_UNITS, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
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
  /** Sends from now on what a held text has. */
  release(): void;
  /** Sends the pending text. The completed event must not be committed before this resolves. */
  flush(): Promise<void>;
}

interface StreamOptions {
  readonly isRepeated?: boolean;
  /** True: nothing is sent, and the text is not among the session's, until it is released. */
  readonly isHeld?: boolean;
  /** The parent of the sub-agent whose text it is; undefined for other agents. */
  readonly parentExecutionId?: string | undefined;
}

/** The live texts of one session. */
export interface LiveStreams extends AsyncDisposable {
  /** Opens a live text whose `created` event has been passed to the publisher, unless it is held until then. */
  open(eventId: string, attempt: number, options?: StreamOptions): LiveStream;
  /** The text so far of an event; undefined if none is open. */
  textOf(eventId: string): string | undefined;
  all(): readonly LiveStream[];
  /** Removes a live text after its completed event is committed. */
  forget(eventId: string): void;
  /** A text that no notifier follows is stored in one commit if it ends within this many milliseconds. */
  readonly atOnceMs: number;
  /** Whether a notifier follows the session. Asks the bus after a look, which takes a round trip; then it is known until the next one. */
  isFollowed(): Promise<boolean>;
  /** For a message to the session's watchers that finds out whether there is one: what to call if there is none. */
  look(): () => void;
  /** A notifier has asked for the texts: from now on it gets the chunks. */
  noticeReader(): void;
}

/** While no notifier follows the session, one chunk in this time looks for one. */
const LOOK_AGAIN_MS = 1_000;
const AT_ONCE_MS = 50;

/**
 * Opens a session's live texts. Chunks are sent on the same connection as the events, after their `created` event and
 * before their `completed` one. Text that arrives during a flush to the server is sent as one chunk after it, so a
 * live text sends at most one chunk per round trip, however fast the model generates.
 *
 * Where no notifier follows the session, a live text sends its first chunk and then one in a second, and drops the others: a
 * notifier that begins to follow finds out what it lacks, and asks.
 */
export function openLiveStreams({
  bus,
  sessionId,
  publisher,
  atOnceMs = AT_ONCE_MS,
  now = () => performance.now(),
}: {
  readonly bus: Bus;
  readonly sessionId: string;
  readonly publisher: EventPublisher;
  readonly atOnceMs?: number | undefined;
  /** A clock in milliseconds. */
  readonly now?: () => number;
}): LiveStreams {
  const streams = new Map<string, PendingStream>();
  let pumping: Promise<void> | undefined;
  const followers = new Followers(bus, now);

  const sendPending = (stream: PendingStream) => {
    if (followers.areMissing()) return stream.skip();
    for (const delta of stream.take()) {
      publishChunk(bus, chunkOf(sessionId, stream, delta), followers.lookIfDue());
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
    open: (eventId, attempt, { isRepeated = false, isHeld = false, parentExecutionId } = {}) => {
      const stream = new PendingStream(
        { eventId, attempt, isRepeated, parentExecutionId },
        {
          grew: () => {
            if (streams.get(eventId) !== stream) return;
            if (followers.areMissing()) return stream.skip();
            pumping ??= pump().finally(() => (pumping = undefined));
          },
          flush: async () => {
            if (streams.get(eventId) !== stream) return;
            await publisher.settled();
            sendPending(stream);
          },
          released: () => {
            streams.set(eventId, stream);
            followers.lookSoon();
          },
        },
      );
      if (!isHeld) stream.release();
      return stream;
    },
    textOf: (eventId) => streams.get(eventId)?.text(),
    all: () => [...streams.values()],
    forget: (eventId) => void streams.delete(eventId),
    atOnceMs,
    isFollowed: async () => followers.areThere(),
    look: () => followers.look(),
    noticeReader: () => followers.notice(),
    [Symbol.asyncDispose]: async () => {
      streams.clear();
      await pumping;
    },
  };
}

/** Whether notifiers follow a session: taken for granted until the bus says that none does. */
class Followers {
  readonly #bus: Bus;
  readonly #now: () => number;
  #areHeardOf = true;
  /** The bus says that there is none before a flush that begins after the look resolves. */
  #answered: Promise<void> | undefined;
  #looksAgainAt = 0;

  constructor(bus: Bus, now: () => number) {
    this.#bus = bus;
    this.#now = now;
  }

  /** True if there was none a moment ago. */
  areMissing(): boolean {
    return !this.#areHeardOf && this.#now() < this.#looksAgainAt;
  }

  async areThere(): Promise<boolean> {
    if (this.#areHeardOf) await (this.#answered ??= this.#bus.flush().catch(() => undefined));
    return this.#areHeardOf;
  }

  look(): () => void {
    this.#looksAgainAt = this.#now() + LOOK_AGAIN_MS;
    this.#areHeardOf = true;
    this.#answered = undefined;
    return () => {
      this.#areHeardOf = false;
    };
  }

  lookIfDue(): (() => void) | undefined {
    return this.#now() >= this.#looksAgainAt ? this.look() : undefined;
  }

  lookSoon(): void {
    this.#looksAgainAt = 0;
  }

  notice(): void {
    this.#areHeardOf = true;
  }
}

function chunkOf(
  session_id: string,
  { eventId: event_id, attempt, parentExecutionId }: PendingStream,
  { offset, text: delta }: { readonly offset: number; readonly text: string },
): StreamChunk {
  return {
    type: "stream.chunk",
    session_id,
    event_id,
    ...(parentExecutionId === undefined ? {} : { parent_execution_id: parentExecutionId }),
    attempt,
    offset,
    delta,
    timestamp: new Date().toISOString(),
  };
}

/** Stores the text in parts: appending to one string and slicing it would copy the whole text for every chunk. */
class PendingStream implements LiveStream {
  readonly eventId: string;
  readonly attempt: number;
  readonly isRepeated: boolean;
  readonly parentExecutionId: string | undefined;
  readonly #on: { grew: () => void; flush: () => Promise<void>; released: () => void };
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
    on: { grew: () => void; flush: () => Promise<void>; released: () => void },
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

  release(): void {
    this.#on.released();
    if (this.hasPending()) this.#on.grew();
  }

  flush(): Promise<void> {
    return this.#on.flush();
  }

  hasPending(): boolean {
    return this.#pending !== "";
  }

  /** Drops the pending text: the next chunk follows it. */
  skip(): void {
    this.#sent += this.#pending.length;
    this.#pending = "";
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
