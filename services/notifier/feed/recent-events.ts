import type { EventFrame } from "../outbox/frames.ts";
import { frameBytes } from "./frame-bytes.ts";
import type { FrameMemory, KeptFrames } from "./frame-memory.ts";

export interface RecentLimits {
  /** Events of one session. */
  readonly recentEvents: number;
  /** Bytes of one session's events. */
  readonly recentBytes: number;
}

/** The newest events of one session, as far as memory allows: without a gap up to the last one. */
export class RecentEvents implements KeptFrames {
  readonly #limits: RecentLimits;
  readonly #memory: FrameMemory;
  #events: EventFrame[] = [];
  #bytes = 0;
  #lastSeq = 0;

  constructor(limits: RecentLimits, memory: FrameMemory) {
    this.#limits = limits;
    this.#memory = memory;
  }

  /** The session's newest event. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The events after this number are in memory. */
  get startSeq(): number {
    return this.#lastSeq - this.#events.length;
  }

  /** Sets the position; the events up to it are not in memory. */
  startAfter(seq: number): void {
    this.evict();
    this.#memory.release(this);
    this.#lastSeq = seq;
  }

  append(event: EventFrame): void {
    if (event.seq !== this.#lastSeq + 1) this.startAfter(event.seq - 1);
    this.#lastSeq = event.seq;
    this.#events.push(event);
    this.#bytes += frameBytes(event);
    const { recentEvents, recentBytes } = this.#limits;
    while (this.#events.length > recentEvents || this.#bytes > recentBytes) {
      const oldest = this.#events.shift();
      if (oldest === undefined) break;
      this.#bytes -= frameBytes(oldest);
    }
    this.#memory.keep(this, this.#bytes);
  }

  /** The events after `seq`; undefined if one of them is not in memory. */
  after(seq: number): readonly EventFrame[] | undefined {
    if (seq < this.startSeq) return undefined;
    this.#memory.touch(this);
    return this.#events.slice(seq - this.startSeq);
  }

  /** The `seq` of the newest event whose `db_event_id` is at most `id`; undefined if memory does not know it. */
  seqAt(id: number): number | undefined {
    const newest = this.#events.at(-1);
    // An event above the newest id may be stored and not received yet.
    if (newest === undefined || id > newest.dbEventId) return undefined;
    const found = this.#events.findLast(({ dbEventId }) => dbEventId <= id);
    return found?.seq ?? (this.startSeq === 0 ? 0 : undefined);
  }

  /** The `db_event_id` of an event; undefined if it is not in memory. */
  idAt(seq: number): number | undefined {
    return this.#events[seq - this.startSeq - 1]?.dbEventId;
  }

  evict(): void {
    this.#events = [];
    this.#bytes = 0;
  }
}
