import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import type { ErrorInfo } from "#shared/generated/llm/v1/llm.ts";
import { safeCut } from "#shared/surrogate-guard.ts";

/** A provider's error body can be a whole web page. */
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Turns whatever a call threw into the chunk that ends it. Errors with a verdict keep code and message; anything else
 * is `internal`, without its message, which was not written for the caller and may hold anything.
 */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) {
    const { message, code } = thrown;
    return {
      message: message.slice(0, safeCut(message, MAX_MESSAGE_LENGTH)),
      code,
      retryable: thrown instanceof RetryableError,
    };
  }
  return {
    message: `unexpected ${coerceError(thrown).name} in the LLM gateway: its log says more`,
    code: "internal",
    retryable: false,
  };
}
