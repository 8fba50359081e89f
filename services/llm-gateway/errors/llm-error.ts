import { RetryableError, TerminalError } from "#shared/errors.ts";

/** Every code an ErrorInfo chunk can carry; `docs/llm-errors.md` says when each is used. */
export const LLM_ERROR_CODES = [
  "credentials",
  "invalid_request",
  "invalid_backend",
  "rate_limited",
  "overloaded",
  "timeout",
  "content_blocked",
  "context_too_long",
  "provider_error",
  "partial_stream_error",
  "max_retries",
  "internal",
] as const;
export type LlmErrorCode = (typeof LLM_ERROR_CODES)[number];

/** An error that trying the same call again cannot cure. */
export function terminal(code: LlmErrorCode, message: string, options?: ErrorOptions): TerminalError {
  return new TerminalError(code, message, options);
}

/** An error after which a later try may succeed; `retryAfterMs` is the provider's own wish. */
export function retryable(
  code: LlmErrorCode,
  message: string,
  options?: ErrorOptions & { retryAfterMs?: number },
): RetryableError {
  return new RetryableError(code, message, options);
}
