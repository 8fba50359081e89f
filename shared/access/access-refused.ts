import { TerminalError } from "#shared/errors.ts";

type RefusalStatus = 401 | 403 | 421 | 429 | 503;

/** A request that is refused before it is read: the HTTP status, one sentence and the headers of the answer. */
export class AccessRefused extends TerminalError {
  readonly status: RefusalStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: RefusalStatus,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

/** 401: no credential, or one that is not valid (any more). */
export function unauthenticated(message: string): AccessRefused {
  return new AccessRefused(401, "unauthenticated", message, { "www-authenticate": 'Bearer realm="tarsy"' });
}

/** 403: authenticated, and not allowed. */
export function forbidden(message: string): AccessRefused {
  return new AccessRefused(403, "forbidden", message);
}

/** 429: too much at once; the same request succeeds after `seconds`. */
export function tooMany(message: string, seconds: number): AccessRefused {
  return new AccessRefused(429, "too_many_requests", message, { "retry-after": String(Math.ceil(seconds)) });
}
