import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { backoff, pause } from "#shared/pause.ts";

const RETRY = { firstMs: 100, lastMs: 2_000 };

/**
 * Repeats `read` while Postgres is unavailable; throws any other error. Throws the signal's reason once it aborts.
 * `what` names the read in the log.
 */
export async function retryUnavailable<T>(
  what: string,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
  read: () => Promise<T>,
): Promise<T> {
  for (let retry = 1; ; retry += 1) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (retry === 1) log.warn({ read: what, error: errorMessage(error) }, "waiting for Postgres");
      await pause(backoff(retry, RETRY), signal);
    }
  }
}
