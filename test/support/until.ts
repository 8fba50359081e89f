import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";

const POLL_MS = 40;
/** For probes that cost a service more CPU time than the work they wait for: it may be noticed this late. */
export const SPARING_MS = 250;

/** Thrown by a probe to end the wait because its condition can no longer become true. */
export class PermanentError extends Error {}

/**
 * Waits until `probe` returns a value other than undefined, null or false, and returns it. Repeats a probe that throws,
 * unless it throws a PermanentError. The pause between two probes is 40 ms, or a tenth of the time waited if that is longer, up to
 * `longestPauseMs`. Throws an error with `what` and the last error after `timeoutMs`, which only ends a broken test.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 120_000,
  longestPauseMs = POLL_MS,
): Promise<Exclude<T, undefined | false | null>> {
  const startedAt = performance.now();
  let lastError = "";
  for (let waited = 0; waited < timeoutMs; waited = performance.now() - startedAt) {
    try {
      const value = await probe();
      if (isThere(value)) return value;
    } catch (error) {
      if (error instanceof PermanentError) throw error;
      lastError = `: ${errorMessage(error)}`;
    }
    await wait(Math.min(longestPauseMs, Math.max(POLL_MS, waited / 10)));
  }
  throw new Error(`not true within ${timeoutMs / 1_000} s: ${what}${lastError}`);
}

function isThere<T>(value: T): value is Exclude<T, undefined | false | null> {
  return value !== undefined && value !== false && value !== null;
}
