/** An error from Gemini: an HTTP response with an error status, or an error object inside an answer. */
export class GeminiResponseError extends Error {
  /** The HTTP status; for an error inside an answer, its `code`. */
  readonly status: number;
  /** The truncated response body: usually JSON, sometimes a web page. */
  readonly body: string;
  /** The Retry-After header in milliseconds, if there was one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: string, retryAfterMs?: number) {
    super(`the provider answered with status ${status}`);
    this.name = "GeminiResponseError";
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}
