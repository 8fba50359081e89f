import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { AskSnapshot } from "./ask-snapshot.ts";
import type { ChunkPacer } from "./chunk-pacer.ts";

/** An open timeline event with its text so far. Attempt 0 means that nothing is known of it yet. */
export interface OpenStream {
  readonly eventId: string;
  readonly attempt: number;
  readonly text: string;
}

interface Stream {
  readonly eventId: string;
  attempt: number;
  text: string;
  /** From where on the text was not passed on yet; its length when all of it was. */
  sent: number;
  /** Of the newest piece. */
  timestamp: string;
  /** The text outgrew the mirror; clients wait for the completed event. */
  overgrown: boolean;
  /** Chunks that came while the executor is being asked; undefined while following live. */
  waiting: StreamChunk[] | undefined;
  /** `performance.now()` before which it is not asked about again: nobody may answer, at every chunk. */
  askAgainAt: number;
}

/** Where a piece of text belongs; a chunk is one. */
type Piece = Pick<StreamChunk, "attempt" | "offset" | "delta" | "timestamp">;

interface OpenStreamsOptions {
  readonly sessionId: string;
  /** Gets each new piece once the mirror holds it. */
  readonly emit: (piece: StreamChunk) => void;
  readonly ask: AskSnapshot;
  /** Says when: pieces that come meanwhile are passed on as one. */
  readonly pacer: ChunkPacer;
}

/** As much as a model call may produce. */
const MAX_TEXT_UTF16_UNITS = 1024 * 1024;
const MAX_WAITING_CHUNKS = 256;
const MAX_QUESTIONS = 32;
const ASK_INTERVAL_MS = 1_000;

/**
 * Mirrors the text of a session's open timeline events, so that whoever joins gets what they hold so far, and passes
 * on each new piece once and without a hole, as large as the pacer lets it grow: an overlap is trimmed, a hole is filled by asking the executor that
 * streams, a higher attempt starts over, and chunks of events that are not open are dropped.
 */
export class OpenStreams {
  readonly #streams = new Map<string, Stream>();
  readonly #sessionId: string;
  readonly #emit: (piece: StreamChunk) => void;
  readonly #ask: AskSnapshot;
  readonly #pacer: ChunkPacer;

  constructor({ sessionId, emit, ask, pacer }: OpenStreamsOptions) {
    this.#sessionId = sessionId;
    this.#emit = emit;
    this.#ask = ask;
    this.#pacer = pacer;
  }

  /** An event begins, empty. */
  open(eventId: string): void {
    if (this.#streams.has(eventId)) return;
    this.#streams.set(eventId, {
      eventId,
      attempt: 0,
      text: "",
      sent: 0,
      timestamp: "",
      overgrown: false,
      waiting: undefined,
      askAgainAt: 0,
    });
  }

  /** An event has its final content: later chunks are dropped. */
  close(eventId: string): void {
    const stream = this.#streams.get(eventId);
    if (stream === undefined) return;
    this.#pass(stream);
    this.#streams.delete(eventId);
  }

  /** An open event with as much of its text as has been passed on. */
  get(eventId: string): OpenStream | undefined {
    const stream = this.#streams.get(eventId);
    return stream && { eventId, attempt: stream.attempt, text: stream.text.slice(0, stream.sent) };
  }

  /** The open events, oldest first. */
  ids(): string[] {
    return [...this.#streams.keys()];
  }

  /** UTF-16 units held. */
  get size(): number {
    let units = 0;
    for (const { text } of this.#streams.values()) units += text.length;
    return units;
  }

  /** Asks for the text of everything that is open, of which the mirror has seen no beginning. */
  refresh(): void {
    for (const stream of this.#streams.values()) this.#askFor(stream, []);
  }

  accept(chunk: StreamChunk): void {
    const stream = this.#streams.get(chunk.event_id);
    if (stream === undefined) return;
    if (stream.waiting !== undefined) {
      // When full, the oldest goes: the hole it leaves is asked for.
      if (stream.waiting.length >= MAX_WAITING_CHUNKS) stream.waiting.shift();
      stream.waiting.push(chunk);
      return;
    }
    if (this.#append(stream, chunk) || performance.now() < stream.askAgainAt) return;
    this.#askFor(stream, [chunk]);
  }

  /** False when text before the piece is missing. */
  #append(stream: Stream, piece: Piece): boolean {
    if (piece.attempt < stream.attempt) return true;
    if (piece.attempt > stream.attempt) {
      if (piece.offset > 0) return false;
      stream.attempt = piece.attempt;
      stream.text = "";
      stream.sent = 0;
      stream.overgrown = false;
    }
    const offset = stream.text.length;
    if (stream.overgrown) return true;
    if (piece.offset > offset) return false;
    const delta = piece.delta.slice(offset - piece.offset);
    if (delta === "") return true;
    if (offset + delta.length > MAX_TEXT_UTF16_UNITS) {
      stream.overgrown = true;
      return true;
    }
    stream.text += delta;
    stream.timestamp = piece.timestamp;
    this.#pacer.soon(this.#passAll);
    return true;
  }

  readonly #passAll = (): void => {
    for (const stream of this.#streams.values()) this.#pass(stream);
  };

  #pass(stream: Stream): void {
    const { eventId: event_id, attempt, sent: offset, text, timestamp } = stream;
    if (offset === text.length) return;
    stream.sent = text.length;
    this.#emit({
      type: "stream.chunk",
      session_id: this.#sessionId,
      event_id,
      attempt,
      offset,
      delta: text.slice(offset),
      timestamp,
    });
  }

  #askFor(stream: Stream, waiting: StreamChunk[]): void {
    if (stream.waiting !== undefined) return;
    stream.waiting = waiting;
    void this.#catchUp(stream).finally(() => {
      const chunks = stream.waiting ?? [];
      stream.waiting = undefined;
      stream.askAgainAt = performance.now() + ASK_INTERVAL_MS;
      for (const chunk of chunks) this.accept(chunk);
    });
  }

  async #catchUp(stream: Stream): Promise<void> {
    let offset = stream.text.length;
    for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
      const answer = await this.#ask(stream.eventId, offset);
      if (answer === undefined || this.#streams.get(stream.eventId) !== stream) return;
      const { attempt, text: delta, length } = answer;
      const timestamp = new Date().toISOString();
      if (!this.#append(stream, { attempt, offset: answer.offset, delta, timestamp })) {
        // A later attempt than the one we hold: its text is needed from the start.
        offset = 0;
        continue;
      }
      const grown = attempt === stream.attempt && stream.text.length > offset;
      if (stream.overgrown || !grown || stream.text.length >= length) return;
      offset = stream.text.length;
    }
  }
}
