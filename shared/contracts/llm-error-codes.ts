/** Every code an ErrorInfo chunk can carry; `docs/llm-errors.md` says when each is used. */
export const LLM_ERROR_CODES = [
  "credentials",
  "invalid_request",
  "invalid_backend",
  "unknown_provider",
  "changed_provider",
  "rate_limited",
  "overloaded",
  "timeout",
  "content_blocked",
  "context_too_long",
  "provider_error",
  "partial_stream_error",
  "output_loop",
  "max_retries",
  "internal",
] as const;
