import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import type { ErrorInfo } from "#shared/generated/llm/v1/llm.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** Messages can contain a provider's error body, which may be a whole web page. */
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Converts what a call threw to the ErrorInfo that ends it. Terminal and retryable errors keep code and message. Any
 * other error becomes `internal` without its message, which was not written for the caller and may contain secrets.
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
