import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { EVENT_POLL_MS } from "#shared/contracts/durations.ts";
import { findSessions } from "#shared/database/find-session.ts";
import type { Identity } from "#shared/access/identity.ts";
import { SharedSlots } from "#shared/access/shares.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import { RequestError } from "../http/request-error.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { Database } from "#shared/database/database.ts";

interface SseConnectionsOptions {
  readonly maxConnections: number;
  readonly db: Database;
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  /** Ends every connection. */
  readonly signal: AbortSignal;
  readonly pollEveryMs?: number;
  readonly heartbeatMs?: number;
  readonly stalledMs?: number;
}

const HEARTBEAT_MS = 15_000;
const STALLED_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Of at most 16 Ki characters each. */
const MAX_HELD_TEXTS = 64;

/**
 * The open SSE connections of this process. The bus reports new events immediately; one Postgres query every two
 * seconds, for all connections together, finds what the bus lost, and ends the connections of sessions that are deleted or have lost
 * events.
 */
export class SseConnections implements AsyncDisposable {
  readonly #options: SseConnectionsOptions;
  readonly #open = new Set<SseConnection>();
  readonly #slots: SharedSlots;
  readonly #stopping = new AbortController();
  readonly #polling: Promise<void>;

  constructor(options: SseConnectionsOptions) {
    this.#options = options;
    this.#slots = new SharedSlots(options.maxConnections);
    this.#polling = this.#poll();
  }

  /** After this long without an event a heartbeat is sent. */
  get heartbeatMs(): number {
    return this.#options.heartbeatMs ?? HEARTBEAT_MS;
  }

  /** A client that reads nothing for this long is disconnected. */
  get stalledMs(): number {
    return this.#options.stalledMs ?? STALLED_MS;
  }

  /**
   * Opens a connection until `signal` aborts or the service stops; with `text` it gets what agents are writing, too. Throws RequestError
   * 503 when too many are open, 429 when the identity has its share of them.
   */
  open(
    sessionId: string,
    identity: Identity,
    signal: AbortSignal,
    { text = false }: { readonly text?: boolean } = {},
  ): SseConnection {
    const { dispatcher, metrics } = this.#options;
    const slot = this.#slots.take(identity);
    if (slot === "full") throw noMore(503, "no more event streams are taken now: try later or elsewhere");
    if (slot === "share_used") throw noMore(429, "you have your share of the event streams: close one first");
    const connection = new SseConnection(sessionId, AbortSignal.any([signal, this.#options.signal]));
    const unfollow = dispatcher.follow(
      sessionId,
      (seq) => connection.notify(seq),
      text ? (chunk) => connection.addText(chunk) : undefined,
    );
    this.#open.add(connection);
    metrics.sseConnections.set(this.#open.size);
    const end = () => {
      slot.release();
      unfollow();
      this.#open.delete(connection);
      metrics.sseConnections.set(this.#open.size);
    };
    if (connection.signal.aborted) end();
    else connection.signal.addEventListener("abort", end, { once: true });
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { db, log, pollEveryMs = EVENT_POLL_MS } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await pause(pollEveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      // One that is opened meanwhile looks for its session itself.
      const polled = [...this.#open].map((connection) => ({ connection, reported: connection.newestSeq }));
      try {
        const found = await findSessions(db, [
          ...new Set(polled.map(({ connection }) => connection.sessionId)),
        ]);
        for (const { connection, reported } of polled) {
          const session = found.get(connection.sessionId);
          // A failover of Postgres can have lost events: the client's next request is refused.
          if (session === undefined || session.last_seq < reported) connection.end();
          else connection.notify(session.last_seq);
        }
      } catch (error) {
        log.warn({ error: errorMessage(error) }, "last event numbers not read: retrying");
      }
    }
  }
}

function noMore(status: 429 | 503, message: string): RequestError {
  return new RequestError(status, message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** One client's connection, and the newest known event number of its session. */
export class SseConnection {
  readonly sessionId: string;
  /** Aborts when the connection has to end. */
  readonly signal: AbortSignal;
  readonly #ending = new AbortController();
  #newestSeq = 0;
  #texts: StreamChunk[] = [];
  #wake = () => {};

  constructor(sessionId: string, signal: AbortSignal) {
    this.sessionId = sessionId;
    this.signal = AbortSignal.any([signal, this.#ending.signal]);
  }

  /** Ends the connection: its session is deleted, or events that it was sent are lost. */
  end(): void {
    this.#ending.abort();
  }

  /** Reports that the session has an event `seq`. */
  notify(seq: number): void {
    if (seq <= this.#newestSeq) return;
    this.#newestSeq = seq;
    this.#wake();
  }

  /** Takes a piece of live text. A client that does not read them loses them: the completed text has them. */
  addText(chunk: StreamChunk): void {
    if (this.#texts.length >= MAX_HELD_TEXTS) this.#texts = [];
    this.#texts.push(chunk);
    this.#wake();
  }

  /** The pieces of live text since the last call. */
  takeTexts(): readonly StreamChunk[] {
    return this.#texts.splice(0);
  }

  /** The highest event number reported so far. */
  get newestSeq(): number {
    return this.#newestSeq;
  }

  /** Takes back the report of `wrongSeq`, unless a newer one came since: the session's last event is `seq`. */
  retract(wrongSeq: number, seq: number): void {
    if (this.#newestSeq === wrongSeq) this.#newestSeq = seq;
  }

  /** Resolves once an event after `seq` is reported, there is live text, `ms` have passed or the connection has to end. */
  async waitForEventAfter(seq: number, ms: number): Promise<void> {
    if (this.#newestSeq > seq || this.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    this.signal.addEventListener("abort", this.#wake, { once: true });
    await promise;
    clearTimeout(timer);
    this.signal.removeEventListener("abort", this.#wake);
    this.#wake = () => {};
  }
}
