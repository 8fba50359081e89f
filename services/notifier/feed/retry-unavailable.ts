import { setTimeout as wait } from "node:timers/promises";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * Repeats a read until Postgres is there to answer it, and passes on every other error. Throws the signal's reason
 * once it aborts. `what` completes the logged sentence "… must wait for Postgres".
 */
export async function retryUnavailable<T>(
  what: string,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
  read: () => Promise<T>,
): Promise<T> {
  for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (delay === FIRST_RETRY_MS) {
        log.warn({ error: errorMessage(error) }, `${what} must wait for Postgres`);
      }
      await wait(delay * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
