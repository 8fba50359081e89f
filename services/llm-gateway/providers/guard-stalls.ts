import { RetryableError } from "#shared/errors.ts";

/** How long a provider may send nothing, in milliseconds. */
export interface StallLimits {
  /** From the request to the first chunk: connecting, queueing and thinking. */
  readonly firstChunkMs: number;
  /** Between two chunks. */
  readonly betweenChunksMs: number;
}

/**
 * Passes chunks on; throws SilenceError if the source sends nothing for too long. `heardAt` says when bytes of any kind
 * have last arrived, by performance.now(): a queue or a long thought sends comments and pings instead of chunks. Only the wait for
 * the source counts, not the consumer's time. Does not close the source; that is left to the caller, who opened it.
 */
export async function* guardStalls<T>(
  source: AsyncIterable<T>,
  limits: StallLimits,
  heardAt: () => number,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // One timer, refreshed with each chunk: a new timer per chunk would cost more than the rest of the chunk's path.
  const first = new StallTimer(limits.firstChunkMs, heardAt);
  const between = new StallTimer(limits.betweenChunksMs, heardAt);
  try {
    let result = await first.guard(() => iterator.next());
    while (result.done !== true) {
      yield result.value;
      result = await between.guard(() => iterator.next());
    }
  } finally {
    first.clear();
    between.clear();
  }
}

class StallTimer {
  readonly #limitMs: number;
  readonly #heardAt: () => number;
  #timer: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  #stall: (() => void) | undefined;

  constructor(limitMs: number, heardAt: () => number) {
    this.#limitMs = limitMs;
    this.#heardAt = heardAt;
  }

  /** Resolves like `next()`, or rejects when that takes too long; a later result of `next()` is dropped. */
  guard<T>(next: () => Promise<T>): Promise<T> {
    clearTimeout(this.#rest);
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#check(), this.#limitMs);
    return new Promise((resolve, reject) => {
      this.#stall = () => reject(new SilenceError(this.#limitMs));
      // When the result is there, a rejection by the timer changes nothing.
      next().then(resolve, reject);
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rest);
  }

  /** Ends the wait, or goes on with it for the rest of the limit since bytes have arrived. */
  #check(): void {
    // What has arrived while this process was busy is read before.
    setImmediate(() => {
      const restMs = this.#heardAt() + this.#limitMs - performance.now();
      if (restMs <= 0) this.#stall?.();
      else this.#rest = setTimeout(() => this.#check(), restMs);
    });
  }
}

/** The error of a provider that was silent for `limitMs`; one that reports a timeout of its own was not. */
export class SilenceError extends RetryableError {
  constructor(limitMs: number) {
    super("timeout", `the provider sent nothing for ${limitMs / 1_000} s`);
  }
}
