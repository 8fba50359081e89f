import { setback } from "./llm-error.ts";

/** How long a provider may say nothing, in milliseconds. */
export interface StallLimits {
  /** From the request to the first chunk: connecting, queueing and thinking. */
  readonly firstChunkMs: number;
  /** Between two chunks. */
  readonly betweenChunksMs: number;
}

/**
 * Passes chunks on, and throws RetryableError `timeout` when the source stays silent for too long. Only the wait for
 * the source counts, not the time its consumer takes. The source is left as it is: whoever opened it closes it.
 */
export async function* guardStalls<T>(source: AsyncIterable<T>, limits: StallLimits): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let limitMs = limits.firstChunkMs;
  while (true) {
    const result = await within(iterator.next(), limitMs);
    if (result.done === true) return;
    limitMs = limits.betweenChunksMs;
    yield result.value;
  }
}

async function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(setback("timeout", `the provider sent nothing for ${limitMs / 1_000} s`)),
    limitMs,
  );
  try {
    return await Promise.race([promise, stalled]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined); // after a stall nobody else waits for it
  }
}
