import { RetryableError, TerminalError } from "#shared/errors.ts";
import { isLlmErrorCode, keepOf, retryable, terminal, waitAfter } from "./llm-error.ts";

/**
 * Passes on what a call yields; its terminal and retryable errors begin with `target`: which of many providers has failed. They
 * keep their cause. Other errors pass unchanged.
 */
export async function* nameTarget<T>(source: AsyncIterable<T>, target: string): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw named(error, target);
  }
}

function named(error: unknown, target: string): unknown {
  if (!(error instanceof TerminalError || error instanceof RetryableError)) return error;
  if (!isLlmErrorCode(error.code)) return error;
  const message = `${target}: ${error.message}`;
  return error instanceof TerminalError
    ? terminal(error.code, message, { cause: error.cause })
    : retryable(error.code, message, { cause: error.cause, ...waitAfter(error), keep: keepOf(error) });
}
