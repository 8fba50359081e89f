import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";

interface ServiceStart {
  /** Aborts when the service must stop, or this start has broken off. */
  readonly signal: AbortSignal;
  /** The resources that the start has opened. */
  readonly resources: AsyncDisposableStack;
}

/** The time between two starts; each of them waits by itself for what does not answer from the beginning. */
const RETRIES = { firstMs: 250, lastMs: 5_000 };

/**
 * Starts until that succeeds: a dependency may go away at any step of a start. What a start has opened by then is released before
 * the next one, and that of the last one is handed to `resources`. Throws the signal's reason once it aborts, and at once what
 * another try cannot change.
 */
export async function untilStarted(
  { log, signal, resources }: ServiceStart & { readonly log: Logger },
  start: (attempt: ServiceStart) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const attempt = new AsyncDisposableStack();
    const broken = new AbortController();
    try {
      await start({ signal: AbortSignal.any([signal, broken.signal]), resources: attempt });
      resources.use(attempt);
      return;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) {
        resources.use(attempt);
        throw error;
      }
      log.warn({ error: errorMessage(error) }, "a dependency went away during the start: starting again");
      broken.abort(error);
      await attempt
        .disposeAsync()
        .catch((failure: unknown) =>
          log.warn({ error: errorMessage(failure) }, "not everything of the start was released"),
        );
      await pause(backoff(tries, RETRIES), signal);
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof RetryableError || isDatabaseRetryable(error);
}
