import { setTimeout as delay } from "node:timers/promises";
import { RetryableError } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import { retryable } from "../errors/llm-error.ts";

export interface RetryPolicy {
  /** In all, the first one included. */
  readonly tries: number;
  /** Before the second try; doubles for each further one. */
  readonly baseDelayMs: number;
  /** A provider that asks for a longer wait is not waited for at all. */
  readonly maxDelayMs: number;
}

interface RetryOptions {
  readonly policy: RetryPolicy;
  /** In milliseconds since the epoch, or Infinity. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Which retryable errors to try again after; all by default. */
  readonly isWorthTrying?: (error: RetryableError) => boolean;
}

/**
 * Yields what `attempt` (given its number, from 1) yields and tries again after a RetryableError, but only while nothing has come out, because a
 * reader cannot take back what it has seen. Waits between half and all of an exponential delay, at least as long as
 * the provider asked for. Throws the last error at once when something came out or the wait would be too long,
 * `max_retries` when the tries are used up, and the signal's reason when it aborts.
 */
export async function* retryBeforeOutput<T>(
  attempt: (number: number) => AsyncIterable<T>,
  { policy, deadline, signal, log, isWorthTrying = () => true }: RetryOptions,
): AsyncGenerator<T> {
  for (let tries = 1; ; tries += 1) {
    let output = false;
    try {
      for await (const item of attempt(tries)) {
        output = true;
        yield item;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RetryableError) || !isWorthTrying(error)) throw error;
      if (output || tries >= policy.tries) throw output ? error : exhausted(error, tries);
      const waitMs = waitBefore(tries, policy, error.retryAfterMs);
      if (waitMs > policy.maxDelayMs || Date.now() + waitMs >= deadline) throw error;
      log.warn(
        { code: error.code, tries, wait_ms: Math.round(waitMs) },
        "provider call failed: trying again",
      );
      await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function waitBefore(tries: number, policy: RetryPolicy, retryAfterMs = 0): number {
  const full = policy.baseDelayMs * 2 ** (tries - 1);
  return Math.max(full * (0.5 + Math.random() / 2), retryAfterMs);
}

function exhausted(error: RetryableError, tries: number): RetryableError {
  return retryable("max_retries", `gave up after ${tries} tries (${error.code}): ${error.message}`, {
    cause: error,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  });
}
