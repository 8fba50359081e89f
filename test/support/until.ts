import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";

const POLL_MS = 20;

/** Thrown by a probe when waiting longer is in vain. */
export class HopelessError extends Error {}

/**
 * Waits until `probe` returns something else than undefined or false, and returns that; a probe that throws counts as
 * "not yet", unless it throws a HopelessError. Fails with `what` and the last error after `timeoutMs`, which is only there to end a broken test.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 120_000,
): Promise<Exclude<T, undefined | false | null>> {
  const deadline = performance.now() + timeoutMs;
  let lastError = "";
  while (performance.now() < deadline) {
    try {
      const value = await probe();
      if (isThere(value)) return value;
    } catch (error) {
      if (error instanceof HopelessError) throw error;
      lastError = `: ${errorMessage(error)}`;
    }
    await wait(POLL_MS);
  }
  throw new Error(`never came true within ${timeoutMs / 1_000} s: ${what}${lastError}`);
}

function isThere<T>(value: T): value is Exclude<T, undefined | false | null> {
  return value !== undefined && value !== false && value !== null;
}
