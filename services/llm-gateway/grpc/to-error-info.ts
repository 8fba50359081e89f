import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { keepOf, waitAfter } from "../errors/llm-error.ts";
import type { ErrorInfo } from "#shared/generated/llm/v1/llm.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** Messages can contain a provider's error body, which may be a whole web page. */
const MAX_MESSAGE_LENGTH = 2_000;
/** A day: longer waits of a provider are cut to it. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Converts what a call threw to the ErrorInfo that ends it. Terminal and retryable errors keep code and message. Any
 * other error becomes `internal` without its message, which was not written for the caller and may contain secrets.
 */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) {
    const { message, code } = thrown;
    const isRetryable = thrown instanceof RetryableError;
    const retryAfterMs = isRetryable ? delayAfter(thrown) : undefined;
    const { text: keepText, thinking: keepThinking } = (isRetryable ? keepOf(thrown) : undefined) ?? {};
    return {
      message: message.slice(0, safeCut(message, MAX_MESSAGE_LENGTH)),
      code,
      retryable: isRetryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(code === "max_retries" && thrown.cause instanceof RetryableError
        ? { lastCode: thrown.cause.code }
        : {}),
      ...(keepText === undefined ? {} : { keepText }),
      ...(keepThinking === undefined ? {} : { keepThinking }),
    };
  }
  return {
    message: `unexpected ${coerceError(thrown).name} in the LLM gateway: its log says more`,
    code: "internal",
    retryable: false,
  };
}

/** A stated delay of 0 says nothing: the gateway's own retries have failed by then. */
function delayAfter(error: RetryableError): number | undefined {
  const { retryAfterMs = 0, estimateMs } = waitAfter(error);
  const ms = retryAfterMs > 0 ? retryAfterMs : estimateMs;
  return ms === undefined ? undefined : Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS);
}
