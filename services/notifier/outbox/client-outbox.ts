import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { NotifierLimits } from "../limits.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import { controlFrame, type ControlMessage, type Frame } from "./frames.ts";

/** Our own close code: the client reads too slowly to follow. */
const TOO_SLOW = 4008;
const TOO_SLOW_REASON = "reading too slowly: reconnect and subscribe with after_seq = the last seq you have";

type OutboxLimits = Pick<
  NotifierLimits,
  "chunkBufferBytes" | "eventBufferBytes" | "drainTimeoutMs" | "closeGraceMs"
>;

/** A WebSocket and the TCP stream below it, which ready frames are written to. */
export interface ClientSocket {
  readonly socket: WebSocket;
  readonly stream: Duplex;
}

/**
 * Everything sent to one client. What it does not read piles up here, up to a bound: first it gets no more chunks,
 * which the completed event makes up for, then it is closed with 4008, so that nobody else waits for it.
 *
 * Frames go past the library's own sender, which would make each client's header anew. Their order with what it sends
 * itself (pongs, the close frame) holds because it queues nothing: compression is off and no Blob is ever sent.
 */
export class ClientOutbox {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #limits: OutboxLimits;
  readonly #metrics: NotifierMetrics;
  readonly #waiting = new Set<() => void>();
  #writesDone = 0;

  constructor({ socket, stream }: ClientSocket, limits: OutboxLimits, metrics: NotifierMetrics) {
    this.#socket = socket;
    this.#stream = stream;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** How many frames the system has taken over so far: while bytes are buffered, a sign that the client reads. */
  get writesDone(): number {
    return this.#writesDone;
  }

  get hasRoomForChunks(): boolean {
    return this.#socket.bufferedAmount <= this.#limits.chunkBufferBytes;
  }

  control(message: ControlMessage): void {
    if (message.type === "error") this.#metrics.clientErrors.inc();
    this.#send(controlFrame(message));
  }

  event(frame: Frame): void {
    this.#metrics.eventsSent.inc();
    this.#send(frame);
  }

  chunk(frame: Frame): void {
    this.#metrics.chunksSent.inc();
    this.#send(frame);
  }

  /** Calls back once, when the client has read so far that chunks have room again. */
  whenRoom(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** Resolves once what was sent has mostly left; a client that takes too long is closed. Throws the signal's reason. */
  async drained(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.hasRoomForChunks) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => this.cutOff(), this.#limits.drainTimeoutMs);
    this.#waiting.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Closes in order; a peer that does not answer in time is cut off. `reason` has at most 123 bytes. */
  close(code: number, reason: string, graceMs = this.#limits.closeGraceMs): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#metrics.closed.inc({ code: String(code) });
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), graceMs);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  /** Closes a client that does not keep up, and tells it how to go on. */
  cutOff(graceMs?: number): void {
    this.close(TOO_SLOW, TOO_SLOW_REASON, graceMs);
  }

  #send(frame: Frame): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > this.#limits.eventBufferBytes) return this.cutOff();
    this.#stream.write(frame, this.#sent);
  }

  readonly #sent = (): void => {
    this.#writesDone += 1;
    if (this.#waiting.size === 0 || this.#socket.bufferedAmount > this.#limits.chunkBufferBytes / 2) return;
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback();
  };
}
