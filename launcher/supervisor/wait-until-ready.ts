import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";

const pollMs = 100;

async function ask(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    const body = await response.text();
    return response.ok ? undefined : body.trim();
  } catch (error) {
    // Not listening yet; fetch keeps the reason in the cause.
    return error instanceof Error && error.cause !== undefined
      ? errorMessage(error.cause)
      : errorMessage(error);
  }
}

/**
 * Waits until `GET url` answers 200; `onWaiting` is told after each refusal what the answer was.
 * @throws the signal's reason once it aborts.
 */
export async function waitUntilReady(
  url: string,
  signal: AbortSignal,
  onWaiting?: (answer: string) => void,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const refusal = await ask(url, signal);
    if (refusal === undefined) return;
    onWaiting?.(refusal);
    await delay(pollMs, undefined, { signal });
  }
}
