import type { RetryableError } from "#shared/errors.ts";
import { retryable } from "../errors/llm-error.ts";

/** How long a provider may send nothing, in milliseconds. */
export interface StallLimits {
  /** From the request to the first chunk: connecting, queueing and thinking. */
  readonly firstChunkMs: number;
  /** Between two chunks. */
  readonly betweenChunksMs: number;
}

/**
 * Passes chunks on; throws RetryableError `timeout` if the source sends nothing for too long. Only the wait for the
 * source counts, not the consumer's time. Does not close the source; that is left to the caller, who opened it.
 */
export async function* guardStalls<T>(source: AsyncIterable<T>, limits: StallLimits): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // One timer, refreshed with each chunk: a new timer per chunk would cost more than the rest of the chunk's path.
  const first = new StallTimer(limits.firstChunkMs);
  const between = new StallTimer(limits.betweenChunksMs);
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
  #timer: NodeJS.Timeout | undefined;
  #stall: (() => void) | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Resolves like `next()`, or rejects when that takes too long; a later result of `next()` is dropped. */
  guard<T>(next: () => Promise<T>): Promise<T> {
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#stall?.(), this.#limitMs);
    return new Promise((resolve, reject) => {
      this.#stall = () => reject(stalled(this.#limitMs));
      // When the result is there, a rejection by the timer changes nothing.
      next().then(resolve, reject);
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** The error of a provider that was silent for `limitMs`. */
export function stalled(limitMs: number): RetryableError {
  return retryable("timeout", `the provider sent nothing for ${limitMs / 1_000} s`);
}
