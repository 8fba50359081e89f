import type { QueueAdmin, QueueState } from "#shared/bus/queue-admin.ts";
import type { RefusedStream } from "#shared/bus/refused-streams.ts";
import { isNotTaken, type WakeResult } from "#shared/bus/session-waker.ts";
import { STREAM_LOOK_EVERY_MS, STREAM_REMAKE_EVERY_MS } from "#shared/contracts/durations.ts";
import { queueOf, type WakeUp } from "#shared/contracts/wake-up-queue.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "./api-metrics.ts";

/** A stream that takes no message, and since when that is known. */
export interface RefusedSince extends RefusedStream {
  readonly since: Date;
}

interface StreamWatchParts {
  readonly admin: Pick<QueueAdmin, "readRefused" | "remake" | "state">;
  readonly log: Logger;
  readonly metrics: Pick<ApiMetrics, "streamRefused" | "streamsRemade">;
  /** Tells the executors which streams take no message. */
  readonly announce: (streams: readonly string[]) => void;
  /** Called when a stream is missing, or was made anew and is empty. */
  readonly onLost: () => void;
}

/** No slow answer takes as long: a wake-up has 2 s. */
const SILENT_AFTER_MS = 30_000;
/** Without a further failure for this long, there was nothing to send. */
const FAILURES_APART_MS = 10_000;

/**
 * Notices streams that take no message although their server answers, says so, and makes them anew: what they hold is in Postgres. A
 * lost connection, a server that does not answer and a missing stream are none of it.
 */
export class StreamWatch {
  readonly #parts: StreamWatchParts;
  /** By stream: the wake-ups that were not taken since the last one that was. */
  readonly #failures = new Map<string, { readonly since: number; readonly last: number }>();
  #refused: readonly RefusedSince[] = [];
  #lookedAt = performance.now();
  #remadeAt = -Infinity;

  constructor(parts: StreamWatchParts) {
    this.#parts = parts;
  }

  /** The streams that take no message, as far as is known. */
  get refused(): readonly RefusedSince[] {
    return this.#refused;
  }

  /** The state of the streams, for the health of the api. */
  get state(): QueueState {
    const { state } = this.#parts.admin;
    if (this.#refused.length === 0 || state.status === "unhealthy") return state;
    return { status: "degraded", message: this.#refused.map(describeRefusal).join("; ") };
  }

  /** Learns from what became of wake-ups. */
  note(wakeUps: readonly WakeUp[], results: readonly WakeResult[]): void {
    const now = performance.now();
    for (const [index, { lane }] of wakeUps.entries()) {
      const { stream } = queueOf(lane);
      const result = results[index];
      if (result === undefined || !isNotTaken(result)) this.#failures.delete(stream);
      else this.#failures.set(stream, { since: this.#failures.get(stream)?.since ?? now, last: now });
    }
  }

  /**
   * To be called with each sweep. Asks the server about the streams if there is a reason to, or none has been asked for 10 s; those that are
   * refused twice in a row are made anew `inTurn`, in which one api at a time works. Rejects if the server does not answer, or if that fails.
   */
  async look(inTurn: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const now = performance.now();
    const isQuiet = this.#refused.length === 0 && this.#failures.size === 0;
    if (isQuiet && now - this.#lookedAt < STREAM_LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const found = await this.#read();
    const again = found.filter(({ stream }) => this.#refused.some((known) => known.stream === stream));
    this.#setRefused(found);
    if (found.length > 0) this.#parts.announce(found.map(({ stream }) => stream));
    if (again.length === 0 || now - this.#remadeAt < STREAM_REMAKE_EVERY_MS) return;
    await inTurn(async () => this.#remake());
  }

  async #read(): Promise<readonly RefusedStream[]> {
    const { refused, isOneMissing } = await this.#parts.admin.readRefused();
    if (isOneMissing) this.#parts.onLost();
    const now = performance.now();
    for (const [stream, { last }] of this.#failures) {
      if (now - last > FAILURES_APART_MS) this.#failures.delete(stream);
    }
    const silent = [...this.#failures]
      .filter(([, { since }]) => now - since >= SILENT_AFTER_MS)
      .map(([stream, { since }]) => ({
        stream,
        why: `it has taken no wake-up for ${Math.round((now - since) / 1_000)} s`,
      }));
    return [...refused, ...silent.filter(({ stream }) => refused.every((one) => one.stream !== stream))];
  }

  async #remake(): Promise<void> {
    // Another api may have made them anew meanwhile.
    const streams = (await this.#read()).map(({ stream }) => stream);
    if (streams.length === 0) return;
    this.#remadeAt = performance.now();
    this.#parts.log.warn({ streams }, "streams take no message: making them anew");
    try {
      await this.#parts.admin.remake(streams);
      for (const stream of streams) {
        this.#failures.delete(stream);
        this.#parts.metrics.streamsRemade.inc({ stream });
      }
    } finally {
      // After a failure one may be missing: the next sweep creates it.
      this.#parts.onLost();
    }
  }

  #setRefused(found: readonly RefusedStream[]): void {
    const { log, metrics } = this.#parts;
    const before = this.#refused;
    this.#refused = found.map((one) => ({
      ...one,
      since: before.find(({ stream }) => stream === one.stream)?.since ?? new Date(),
    }));
    for (const one of this.#refused) {
      metrics.streamRefused.set({ stream: one.stream }, 1);
      if (before.every(({ stream }) => stream !== one.stream)) log.error(describeRefusal(one));
    }
    for (const { stream } of before) {
      if (this.#refused.some((one) => one.stream === stream)) continue;
      metrics.streamRefused.set({ stream }, 0);
      log.info({ stream }, "the stream takes messages again");
    }
  }
}

/** One sentence. */
export function describeRefusal({ stream, why }: RefusedStream): string {
  return `the stream ${stream} takes no message (${why}): free space on the disk of NATS; the api makes the stream anew, and until then executors find sessions in Postgres`;
}
