/** The provider answered with an error: as a response of its own, or as an object in the middle of a stream. */
export class GeminiResponseError extends Error {
  /** HTTP status; inside a stream, the error's own `code`. */
  readonly status: number;
  /** The error as the provider sent it, cut to a length worth reading; often JSON, sometimes a web page. */
  readonly body: string;
  /** The Retry-After header, in milliseconds, where there was one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: string, retryAfterMs?: number) {
    super(`the provider answered with status ${status}`);
    this.name = "GeminiResponseError";
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}
