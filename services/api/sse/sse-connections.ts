import { setTimeout as wait } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { readLastSeqs } from "#shared/database/read-events.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { Dispatcher } from "../dispatcher.ts";

interface EventStreamsOptions {
  /** Open at a time. */
  readonly maxStreams: number;
  readonly db: DataSource;
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  /** Ends every stream. */
  readonly signal: AbortSignal;
  readonly lookEveryMs?: number;
  readonly heartbeatMs?: number;
  readonly stalledMs?: number;
}

const LOOK_EVERY_MS = 2_000;
const HEARTBEAT_MS = 15_000;
const STALLED_MS = 60_000;

/**
 * The open streams of this process and what wakes them: the bus at once, and for what it lost one question to
 * Postgres for all of them, every two seconds.
 */
export class EventStreams implements AsyncDisposable {
  readonly #options: EventStreamsOptions;
  readonly #watches = new Set<EventWatch>();
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#looking = this.#lookNowAndThen();
  }

  /** A stream that has had nothing to say for so long says that it is there. */
  get heartbeatMs(): number {
    return this.#options.heartbeatMs ?? HEARTBEAT_MS;
  }

  /** A client that has taken nothing for so long is gone. */
  get stalledMs(): number {
    return this.#options.stalledMs ?? STALLED_MS;
  }

  /** Follows a session's newest event number until `signal` aborts or the service stops; undefined when too many do. */
  watch(sessionId: string, signal: AbortSignal): EventWatch | undefined {
    const { maxStreams, dispatcher, metrics } = this.#options;
    if (this.#watches.size >= maxStreams) return undefined;
    const watch = new EventWatch(sessionId, AbortSignal.any([signal, this.#options.signal]));
    const unfollow = dispatcher.follow(sessionId, (seq) => watch.notice(seq));
    this.#watches.add(watch);
    metrics.eventStreams.set(this.#watches.size);
    const end = () => {
      unfollow();
      this.#watches.delete(watch);
      metrics.eventStreams.set(this.#watches.size);
    };
    if (watch.signal.aborted) end();
    else watch.signal.addEventListener("abort", end, { once: true });
    return watch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }

  async #lookNowAndThen(): Promise<void> {
    const { db, log, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await wait(lookEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const sessions = new Set([...this.#watches].map(({ sessionId }) => sessionId));
      try {
        const lastSeqs = await readLastSeqs(db.manager, [...sessions]);
        for (const watch of this.#watches) watch.notice(lastSeqs.get(watch.sessionId) ?? 0);
      } catch (error) {
        log.warn({ error: errorMessage(error) }, "last event numbers unreadable: trying again");
      }
    }
  }
}

/** How far a session's events go, as far as is known. */
export class EventWatch {
  readonly sessionId: string;
  /** Aborts when the stream is to end. */
  readonly signal: AbortSignal;
  #newest = 0;
  #wake = () => {};

  constructor(sessionId: string, signal: AbortSignal) {
    this.sessionId = sessionId;
    this.signal = signal;
  }

  /** There is an event of this number. */
  notice(seq: number): void {
    if (seq <= this.#newest) return;
    this.#newest = seq;
    this.#wake();
  }

  /** The highest number noticed so far. */
  get newest(): number {
    return this.#newest;
  }

  /** The number noticed last is false: there is nothing beyond `seq`. */
  forget(newest: number, seq: number): void {
    if (this.#newest === newest) this.#newest = seq;
  }

  /** Resolves once there is an event beyond `seq`, after `ms`, or when the stream is to end, whichever comes first. */
  async beyond(seq: number, ms: number): Promise<void> {
    if (this.#newest > seq || this.signal.aborted) return;
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
