import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { NotifierLimits } from "../limits.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import { CLOSE_CODES, DIALECT_REASONS, EXACT_REASONS, type ResumableClose } from "./close-codes.ts";
import { controlFrame, type ControlMessage, type WebSocketFrame } from "./frames.ts";

type OutboxLimits = Pick<
  NotifierLimits,
  "chunkBufferBytes" | "eventBufferBytes" | "drainTimeoutMs" | "closeGraceMs"
>;

/** A WebSocket and the TCP stream below it; the outbox writes encoded frames to the stream. */
export interface ClientSocket {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  /** True if its client speaks the dialect of the contract. */
  readonly dialect: boolean;
}

/**
 * Everything sent to one client. Unread bytes are buffered up to two limits, so that a slow client delays no other:
 * above the first it gets no chunks (the completed event carries the whole text), above the second it is closed
 * with 4008.
 *
 * Frames bypass the sender of `ws`, which would encode a header per client. They cannot end up inside a frame that
 * `ws` sends itself (pong, close) because `ws` queues nothing: compression is off and no Blob is ever sent.
 */
export class ClientOutbox {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #dialect: boolean;
  readonly #limits: OutboxLimits;
  readonly #metrics: NotifierMetrics;
  readonly #drainCallbacks = new Set<() => void>();
  #writesDone = 0;

  constructor({ socket, stream, dialect }: ClientSocket, limits: OutboxLimits, metrics: NotifierMetrics) {
    this.#socket = socket;
    this.#stream = stream;
    this.#dialect = dialect;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Frames written to the kernel so far. If it grows while bytes are buffered, the client is reading. */
  get writesDone(): number {
    return this.#writesDone;
  }

  get hasRoomForChunks(): boolean {
    return this.#socket.bufferedAmount <= this.#limits.chunkBufferBytes;
  }

  control(message: ControlMessage): void {
    if (message.type === "error" || message.type === "subscription.error") this.#metrics.clientErrors.inc();
    this.#send(controlFrame(message));
  }

  event(frame: WebSocketFrame): void {
    this.#metrics.eventsSent.inc();
    this.#send(frame);
  }

  chunk(frame: WebSocketFrame): void {
    this.#metrics.chunksSent.inc();
    this.#send(frame);
  }

  /** Sends the progress of a tool call, or drops it if chunks have no room: the next one says more. */
  progress(frame: WebSocketFrame): void {
    if (this.hasRoomForChunks) this.#send(frame);
  }

  /** Writes what `send` sends in as few system calls as possible. */
  together(send: () => void): void {
    this.#stream.cork();
    try {
      send();
    } finally {
      this.#stream.uncork();
    }
  }

  /** Calls `callback` once, when at most half of the chunk limit is still unsent. */
  onDrain(callback: () => void): void {
    this.#drainCallbacks.add(callback);
  }

  /**
   * Resolves immediately if chunks have room, else once the buffer has drained as for `onDrain`. A client that takes
   * longer than the drain timeout is closed with 4008. Throws the signal's reason.
   */
  async drained(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.hasRoomForChunks) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => this.closeAsTooSlow(), this.#limits.drainTimeoutMs);
    this.#drainCallbacks.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#drainCallbacks.delete(resolve);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Starts the closing handshake; a peer that does not answer within `graceMs` is disconnected. `reason` may have at
   * most 123 bytes.
   */
  close(code: number, reason: string, graceMs = this.#limits.closeGraceMs): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#metrics.closed.inc({ code: String(code) });
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), graceMs);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  /** Does the same as `close`; the reason says how to resume in the protocol that the client speaks. */
  closeResumably(cause: ResumableClose, graceMs?: number): void {
    const reasons = this.#dialect ? DIALECT_REASONS : EXACT_REASONS;
    this.close(CLOSE_CODES[cause], reasons[cause], graceMs);
  }

  /** Closes with 4008. */
  closeAsTooSlow(graceMs?: number): void {
    this.closeResumably("tooSlow", graceMs);
  }

  #send(frame: WebSocketFrame): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > this.#limits.eventBufferBytes) return this.closeAsTooSlow();
    this.#stream.write(frame, this.#onWritten);
  }

  readonly #onWritten = (): void => {
    this.#writesDone += 1;
    if (this.#drainCallbacks.size === 0) return;
    if (this.#socket.bufferedAmount > this.#limits.chunkBufferBytes / 2) return;
    const callbacks = [...this.#drainCallbacks];
    this.#drainCallbacks.clear();
    for (const callback of callbacks) callback();
  };
}
