import type { IncomingHttpHeaders } from "node:http";
import { parseRetryAfter } from "../errors/parse-retry-after.ts";

/** An error that a provider reported: an HTTP response with another status than 2xx, or an error inside an answer. */
export class ResponseError extends Error {
  /** The HTTP status, or the one that an error inside an answer names; undefined if it names none. */
  readonly status: number | undefined;
  /** The truncated response body, or the error inside an answer: usually JSON, sometimes a web page. */
  readonly body: string;
  readonly headers: IncomingHttpHeaders;

  constructor(status: number | undefined, body: string, headers: IncomingHttpHeaders = {}) {
    super(
      status === undefined ? "the provider reported an error" : `the provider answered with status ${status}`,
    );
    this.name = "ResponseError";
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  /** The wait that the response asks for, in milliseconds, if it asks for one. */
  get retryAfterMs(): number | undefined {
    return parseRetryAfter(this.headers["retry-after"], this.headers["retry-after-ms"]);
  }
}
