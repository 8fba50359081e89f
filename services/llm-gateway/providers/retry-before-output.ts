import { RetryableError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { spanEvent } from "#shared/telemetry/tracing.ts";
import { pause } from "#shared/pause.ts";
import { retryable, waitAfter } from "../errors/llm-error.ts";

export interface RetryPolicy {
  /** In total, the first one included. */
  readonly tries: number;
  /** Before the second try; doubles with each further try. */
  readonly baseDelayMs: number;
  /** A longer wait ends the call instead, also one that the provider asked for. */
  readonly maxDelayMs: number;
}

interface RetryOptions {
  readonly policy: RetryPolicy;
  /** In milliseconds since the epoch, or Infinity. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called with the error of each try that is followed by another one. */
  readonly retried?: ((error: RetryableError) => void) | undefined;
  /** Which retryable errors to retry after; by default all. */
  readonly isWorthTrying?: (error: RetryableError) => boolean;
}

/**
 * Yields what `tryCall` yields (its argument is the number of the try, from 1) and retries after a RetryableError, but
 * only before the first output: a reader cannot take back what it has seen. Each wait is half to all of an exponential
 * delay, and at least what the provider asked for. Throws the error immediately after output or if the wait would pass
 * `maxDelayMs` or the deadline, `max_retries` when all tries have failed, and the signal's reason when it aborts.
 */
export async function* retryBeforeOutput<T>(
  tryCall: (number: number) => AsyncIterable<T>,
  { policy, deadline, signal, log, retried, isWorthTrying = () => true }: RetryOptions,
): AsyncGenerator<T> {
  for (let tries = 1; ; tries += 1) {
    let output = false;
    try {
      for await (const item of tryCall(tries)) {
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
      const { code, message } = error;
      log.warn(
        { code, error: message, tries, wait_ms: Math.round(waitMs) },
        "provider call failed, retrying",
      );
      retried?.(error);
      spanEvent("retry", { "error.type": code, "tarsy.llm.try": tries });
      await pause(waitMs, signal);
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
    ...waitAfter(error),
  });
}
