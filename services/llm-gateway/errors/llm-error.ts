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
type LlmErrorCode = (typeof LLM_ERROR_CODES)[number];

/** An error that retrying the same call cannot fix. */
export function terminal(code: LlmErrorCode, message: string, options?: ErrorOptions): TerminalError {
  return new TerminalError(code, message, options);
}

/** An error after which a retry may succeed; `retryAfterMs` is the delay that the provider asked for. */
export function retryable(
  code: LlmErrorCode,
  message: string,
  options?: ErrorOptions & { retryAfterMs?: number },
): RetryableError {
  return new RetryableError(code, message, options);
}
