import { throwIfPurged } from "#shared/database/events-purged.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { eventFrame, type EventFrame } from "../outbox/frames.ts";
import type { DatabaseReads } from "./database-reads.ts";
import { frameBytes } from "./frame-bytes.ts";
import type { FrameMemory, KeptFrames } from "./frame-memory.ts";
import { RecentEvents, type RecentLimits } from "./recent-events.ts";
import type { Queryable } from "#shared/database/queryable.ts";

export interface StoredEventsContext {
  readonly reads: DatabaseReads;
  readonly memory: FrameMemory;
  readonly recentLimits: RecentLimits;
}

/** Events without a gap after `afterSeq`. */
interface EventPage extends KeptFrames {
  readonly afterSeq: number;
  readonly events: readonly EventFrame[];
}

/** A read of the events after `afterSeq`, at most `limit`, for all clients that need one of them. */
interface Flight {
  readonly afterSeq: number;
  readonly limit: number;
  readonly page: Promise<EventPage>;
}

/** Reads begin at multiples of this number where possible, so that clients with nearly the same position share one. */
const ALIGNMENT = 50;
const MIN_LIMIT = 5;
const MAX_LIMIT = 500;
const PAGE_BYTES = 512 * 1024;

/**
 * One session's stored events up to its newest, each in its frame: the newest from memory, older ones from Postgres in
 * pages. A page is read once for all clients that need it, and kept while memory allows.
 */
export class StoredEvents {
  readonly sessionId: string;
  readonly #context: StoredEventsContext;
  readonly #recent: RecentEvents;
  readonly #closing = new AbortController();
  readonly #flights = new Set<Flight>();
  readonly #pages = new Set<EventPage>();
  /** Events per page: as many as had about PAGE_BYTES in the page before. */
  #limit = ALIGNMENT;

  constructor(context: StoredEventsContext, sessionId: string) {
    this.sessionId = sessionId;
    this.#context = context;
    this.#recent = new RecentEvents(context.recentLimits, context.memory);
  }

  get lastSeq(): number {
    return this.#recent.lastSeq;
  }

  /** Sets the newest event, when none is in memory yet. */
  startAfter(seq: number): void {
    this.#recent.startAfter(seq);
  }

  /** Adds the event after `lastSeq`. */
  append(event: EventFrame): void {
    this.#recent.append(event);
  }

  /** The `seq` of the newest event whose `db_event_id` is at most `id`; undefined if memory does not know it. */
  seqAt(id: number): number | undefined {
    return this.#recent.seqAt(id);
  }

  /** The `db_event_id` of an event; undefined if memory does not know it. */
  idAt(seq: number): number | undefined {
    return this.#recent.idAt(seq);
  }

  /** Events that follow `seq` without a gap, not necessarily all, from memory; undefined if it has none of them. */
  recall(seq: number): readonly EventFrame[] | undefined {
    const recent = this.#recent.after(seq);
    if (recent !== undefined) return recent;
    for (const page of this.#pages) {
      const events = eventsAfter(page, seq);
      if (events.length === 0) continue;
      this.#context.memory.touch(page);
      return events;
    }
    return undefined;
  }

  /**
   * Events that follow `seq`, at least one, from Postgres, where `seq` is below `lastSeq`. Throws TerminalError
   * `events_purged` if they have been deleted, `events_missing` if they are not stored, RetryableError if too many reads wait, and the signal's reason.
   */
  async read(seq: number, signal: AbortSignal): Promise<readonly EventFrame[]> {
    const aligned = seq - (seq % ALIGNMENT);
    const shared =
      this.#flightFor(seq) ?? this.#startRead(aligned + this.#limit > seq ? aligned : seq, this.#limit);
    const events = eventsAfter(await untilAborted(shared.page, signal), seq);
    if (events.length > 0) return events;
    // The page ended before `seq`, because its events are large.
    const own =
      [...this.#flights].find(({ afterSeq }) => afterSeq === seq) ?? this.#startRead(seq, this.#limit);
    return (await untilAborted(own.page, signal)).events;
  }

  /** Ends all reads and frees the memory. */
  close(reason: Error = new RetryableError("closed", "the session is no longer watched")): void {
    this.#closing.abort(reason);
    this.#recent.startAfter(this.lastSeq);
    for (const page of this.#pages) this.#context.memory.release(page);
    this.#pages.clear();
  }

  #flightFor(seq: number): Flight | undefined {
    return [...this.#flights].find(({ afterSeq, limit }) => afterSeq <= seq && seq < afterSeq + limit);
  }

  #startRead(afterSeq: number, limit: number): Flight {
    const flight = { afterSeq, limit, page: this.#readPage(afterSeq, limit) };
    this.#flights.add(flight);
    const landed = () => void this.#flights.delete(flight);
    flight.page.then(landed, landed);
    return flight;
  }

  async #readPage(afterSeq: number, limit: number): Promise<EventPage> {
    const { reads, memory } = this.#context;
    const { signal } = this.#closing;
    const rows = await reads.run({
      what: "history",
      signal,
      read: async (manager) => {
        // Data that is in memory by now is not read again.
        const throughSeq = Math.max(this.#recent.startSeq, afterSeq + 1);
        return readEvents(manager, this.sessionId, { afterSeq, throughSeq, limit, maxBytes: PAGE_BYTES });
      },
    });
    signal.throwIfAborted();
    if (rows.length === 0 || rows.some(({ seq }, index) => seq !== afterSeq + 1 + index)) {
      const read = async (manager: Queryable) => throwIfPurged(manager, this.sessionId);
      await reads.run({ what: "history", signal, read });
      throw new TerminalError(
        "events_missing",
        `events of session ${this.sessionId} are missing: reload it over REST`,
      );
    }
    const events = rows.map((row) => eventFrame(row));
    const bytes = events.reduce((sum, event) => sum + frameBytes(event), 0);
    // Large pages of small events keep the number of queries low; small pages of large events keep memory low.
    this.#limit = Math.max(MIN_LIMIT, Math.min(MAX_LIMIT, Math.floor((PAGE_BYTES * rows.length) / bytes)));
    const page: EventPage = { afterSeq, events, evict: () => void this.#pages.delete(page) };
    this.#pages.add(page);
    memory.keep(page, bytes);
    return page;
  }
}

/** The events of the page after `seq`; empty if the page does not have the next one. */
function eventsAfter({ afterSeq, events }: EventPage, seq: number): readonly EventFrame[] {
  return seq < afterSeq ? [] : events.slice(seq - afterSeq);
}
