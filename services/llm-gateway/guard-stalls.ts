import { setback } from "./llm-error.ts";

/** How long a provider may say nothing, in milliseconds. */
export interface StallLimits {
  /** From the request to the first chunk: connecting, queueing and thinking. */
  readonly firstChunkMs: number;
  /** Between two chunks. */
  readonly betweenChunksMs: number;
}

/**
 * Passes chunks on, and throws RetryableError `timeout` when the source stays silent for too long; `abort` is called
 * first, so that the source's socket closes. Only the wait for the source counts, not the time its consumer takes.
 */
export async function* guardStalls<T>(
  source: AsyncIterable<T>,
  limits: StallLimits,
  abort: (reason: Error) => void,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let limitMs = limits.firstChunkMs;
  while (true) {
    const next = iterator.next();
    const result = await within(next, limitMs, abort);
    if (result.done === true) return;
    limitMs = limits.betweenChunksMs;
    yield result.value;
  }
}

async function within<T>(promise: Promise<T>, limitMs: number, abort: (reason: Error) => void): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = setback("timeout", `the provider sent nothing for ${limitMs / 1_000} s`);
    reject(error);
    abort(error);
  }, limitMs);
  try {
    return await Promise.race([promise, stalled]);
  } finally {
    clearTimeout(timer);
    stalled.catch(() => undefined);
    promise.catch(() => undefined); // after a stall it rejects with the abort, which is already known
  }
}
