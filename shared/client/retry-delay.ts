const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/** The time to wait after a number of failures in a row, in milliseconds: twice as long each time, up to 5 s, with chance. */
export function retryDelay(failures: number): number {
  const delay = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
  return delay * (0.5 + Math.random());
}

/** Waits; throws the signal's reason once it aborts. Runs in browsers, too. */
export async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => resolve();
  signal?.addEventListener("abort", onAbort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
  signal?.throwIfAborted();
}
