import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { AskSnapshot } from "./ask-snapshot.ts";
import type { ChunkPacer } from "./chunk-pacer.ts";

/** The text of an open timeline event so far. Attempt 0: no text has been received yet. */
interface TextOfAttempt {
  readonly attempt: number;
  readonly text: string;
}

/** The length of a text, with the part that waits to be passed on. */
interface TextEnd {
  readonly attempt: number;
  /** Counted in code units. */
  readonly length: number;
  /** An earlier attempt wrote another text. */
  readonly isRepeated: boolean;
}

interface BufferedText {
  readonly eventId: string;
  attempt: number;
  /** The part that was passed on. */
  text: string;
  /**
   * The text that follows `text`. Cut from one text, every piece would make the engine copy all of it: `+=` only links strings, and
   * `slice` joins them.
   */
  unsent: string;
  /** Timestamp of the newest piece. */
  timestamp: string;
  /** The text exceeded the buffer; clients get the rest with the completed event. */
  truncated: boolean;
  isRepeated: boolean;
  /** Chunks received while a snapshot is requested; undefined otherwise. */
  pending: StreamChunk[] | undefined;
  /** Settles when that snapshot has been added. */
  filled: Promise<void> | undefined;
  /** Earliest `performance.now()` of the next snapshot request. Without it every chunk would send one. */
  askAgainAt: number;
}

/** A piece of text from a chunk or a snapshot. */
type TextPiece = Pick<StreamChunk, "attempt" | "offset" | "delta" | "timestamp">;

interface LiveTextBufferOptions {
  readonly sessionId: string;
  /** Gets each new piece after it was added to the buffer. */
  readonly emit: (piece: StreamChunk) => void;
  readonly ask: AskSnapshot;
  /** Schedules `emit`; pieces received in the meantime are emitted as one. */
  readonly pacer: ChunkPacer;
}

/** The most text one model call may produce. */
const MAX_TEXT_CODE_UNITS = 1024 * 1024;
const MAX_PENDING_CHUNKS = 256;
/** Snapshot requests to fill one gap. */
const MAX_REQUESTS = 32;
const ASK_INTERVAL_MS = 1_000;

/**
 * Buffers the text of a session's open timeline events, so that a client that joins late gets the text so far. Emits
 * each piece of text once and without a gap:
 *
 * - overlaps are trimmed,
 * - gaps are filled by snapshot requests to the executor,
 * - a higher attempt restarts the text, lower attempts are dropped,
 * - chunks of events that are not open are dropped.
 */
export class LiveTextBuffer {
  readonly #texts = new Map<string, BufferedText>();
  readonly #sessionId: string;
  readonly #emit: (piece: StreamChunk) => void;
  readonly #ask: AskSnapshot;
  readonly #pacer: ChunkPacer;

  constructor({ sessionId, emit, ask, pacer }: LiveTextBufferOptions) {
    this.#sessionId = sessionId;
    this.#emit = emit;
    this.#ask = ask;
    this.#pacer = pacer;
  }

  /** Opens an event with an empty text. */
  open(eventId: string): void {
    if (this.#texts.has(eventId)) return;
    this.#texts.set(eventId, {
      eventId,
      attempt: 0,
      text: "",
      unsent: "",
      timestamp: "",
      truncated: false,
      isRepeated: false,
      pending: undefined,
      filled: undefined,
      askAgainAt: 0,
    });
  }

  /** Emits what is left of a completed event; later chunks of it are dropped. */
  close(eventId: string): void {
    const buffered = this.#texts.get(eventId);
    if (buffered === undefined) return;
    this.#flush(buffered);
    this.#texts.delete(eventId);
  }

  /** Drops every text, without emitting what is left. */
  clear(): void {
    this.#texts.clear();
  }

  /** The text of an open event as far as it was emitted; undefined if the event is not open. */
  get(eventId: string): TextOfAttempt | undefined {
    const buffered = this.#texts.get(eventId);
    return buffered && { attempt: buffered.attempt, text: buffered.text };
  }

  /**
   * The length of an open event's text, once a snapshot that is requested for it has been added; undefined if the event is not
   * open. Never rejects.
   */
  async settledEnd(eventId: string): Promise<TextEnd | undefined> {
    await this.#texts.get(eventId)?.filled;
    const buffered = this.#texts.get(eventId);
    if (buffered === undefined) return undefined;
    const { attempt, isRepeated } = buffered;
    return { attempt, isRepeated, length: lengthOf(buffered) };
  }

  /** The open events, oldest first. */
  openEventIds(): string[] {
    return [...this.#texts.keys()];
  }

  /** Code units of all buffered texts. */
  get size(): number {
    let units = 0;
    for (const buffered of this.#texts.values()) units += lengthOf(buffered);
    return units;
  }

  /** Requests the text of every open event, for events whose beginning was missed. */
  refresh(): void {
    for (const buffered of this.#texts.values()) this.#requestText(buffered, []);
  }

  accept(chunk: StreamChunk): void {
    const buffered = this.#texts.get(chunk.event_id);
    if (buffered === undefined) return;
    if (buffered.pending !== undefined) {
      // When full, drop the oldest: the gap it leaves is filled by a later request.
      if (buffered.pending.length >= MAX_PENDING_CHUNKS) buffered.pending.shift();
      buffered.pending.push(chunk);
      return;
    }
    if (this.#append(buffered, chunk) || performance.now() < buffered.askAgainAt) return;
    this.#requestText(buffered, [chunk]);
  }

  /** False if text before the piece is missing. */
  #append(buffered: BufferedText, piece: TextPiece): boolean {
    if (piece.attempt < buffered.attempt) return true;
    if (piece.attempt > buffered.attempt) {
      if (piece.offset > 0) return false;
      buffered.isRepeated ||= buffered.attempt > 0;
      buffered.attempt = piece.attempt;
      buffered.text = "";
      buffered.unsent = "";
      buffered.truncated = false;
    }
    const offset = lengthOf(buffered);
    if (buffered.truncated) return true;
    if (piece.offset > offset) return false;
    const delta = piece.delta.slice(offset - piece.offset);
    if (delta === "") return true;
    if (offset + delta.length > MAX_TEXT_CODE_UNITS) {
      buffered.truncated = true;
      return true;
    }
    buffered.unsent += delta;
    buffered.timestamp = piece.timestamp;
    this.#pacer.schedule(this.#flushAll);
    return true;
  }

  readonly #flushAll = (): void => {
    for (const buffered of this.#texts.values()) this.#flush(buffered);
  };

  #flush(buffered: BufferedText): void {
    const { eventId: event_id, attempt, text, unsent: delta, timestamp } = buffered;
    if (delta === "") return;
    buffered.text += delta;
    buffered.unsent = "";
    this.#emit({
      type: "stream.chunk",
      session_id: this.#sessionId,
      event_id,
      attempt,
      offset: text.length,
      delta,
      timestamp,
    });
  }

  #requestText(buffered: BufferedText, pending: StreamChunk[]): void {
    if (buffered.pending !== undefined) return;
    buffered.pending = pending;
    buffered.filled = this.#fillGap(buffered).finally(() => {
      const chunks = buffered.pending ?? [];
      buffered.pending = undefined;
      buffered.filled = undefined;
      buffered.askAgainAt = performance.now() + ASK_INTERVAL_MS;
      for (const chunk of chunks) this.accept(chunk);
    });
  }

  async #fillGap(buffered: BufferedText): Promise<void> {
    let offset = lengthOf(buffered);
    for (let requests = 0; requests < MAX_REQUESTS; requests += 1) {
      const snapshot = await this.#ask(buffered.eventId, offset);
      if (snapshot === undefined || this.#texts.get(buffered.eventId) !== buffered) return;
      const { attempt, text: delta, length } = snapshot;
      buffered.isRepeated ||= snapshot.repeated;
      const timestamp = new Date().toISOString();
      if (!this.#append(buffered, { attempt, offset: snapshot.offset, delta, timestamp })) {
        // The snapshot is of a later attempt, so its text is needed from the start.
        offset = 0;
        continue;
      }
      const grown = attempt === buffered.attempt && lengthOf(buffered) > offset;
      if (buffered.truncated || !grown || lengthOf(buffered) >= length) return;
      offset = lengthOf(buffered);
    }
  }
}

function lengthOf({ text, unsent }: BufferedText): number {
  return text.length + unsent.length;
}
