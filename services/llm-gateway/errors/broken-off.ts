import type { RetryableError } from "#shared/errors.ts";
import { retryable, waitAfter } from "./llm-error.ts";

/**
 * The error of an answer that broke off after some output. It says when to try again only if the provider itself
 * reported a limit or an overload; any other failure there says nothing about the next call.
 */
export function brokenOff(error: RetryableError): RetryableError {
  const isLimit = error.code === "rate_limited" || error.code === "overloaded";
  return retryable("partial_stream_error", `the answer broke off: ${error.message}`, {
    cause: error,
    ...(isLimit ? waitAfter(error) : {}),
  });
}
