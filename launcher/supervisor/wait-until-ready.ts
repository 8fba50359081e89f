import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";

const pollMs = 100;

async function ask(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    const body = await response.text();
    return response.ok ? undefined : body.trim();
  } catch (error) {
    // Not listening yet; the reason is the cause of the error of fetch.
    return error instanceof Error && error.cause !== undefined
      ? errorMessage(error.cause)
      : errorMessage(error);
  }
}

/**
 * Polls `GET url` until it answers 200; calls `onWaiting` with every other answer.
 * @throws the signal's reason once it aborts.
 */
export async function waitUntilReady(
  url: string,
  signal: AbortSignal,
  onWaiting?: (answer: string) => void,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const notReady = await ask(url, signal);
    if (notReady === undefined) return;
    onWaiting?.(notReady);
    await pause(pollMs, signal);
  }
}
