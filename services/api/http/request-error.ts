interface RequestErrorOptions {
  /** The accepted values, where they are few. */
  readonly allowed?: readonly string[] | undefined;
  /** For machines, where a client must do something else than usual. */
  readonly code?: string;
  /** When the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** The rest of the request is not read. */
  readonly closesConnection?: boolean;
}

/** A request that is answered with an error status and a message of one sentence. */
export class RequestError extends Error {
  readonly status: number;
  readonly allowed: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly code: string | undefined;
  readonly closesConnection: boolean;

  constructor(status: number, message: string, options: RequestErrorOptions = {}) {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.allowed = options.allowed;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.code = options.code;
    this.closesConnection = options.closesConnection ?? false;
  }
}

/** 400, worded as in the reference: names the field and the reason. */
export function validationError(field: string, why: string, allowed?: readonly string[]): RequestError {
  return new RequestError(400, `validation error on field '${field}': ${why}`, { allowed });
}

/** 404 for an id that does not exist. */
export function notFound(): RequestError {
  return new RequestError(404, "resource not found");
}

/** The same for a session that exists and that the caller may not see. */
export function hiddenSession(): RequestError {
  const error = notFound();
  hidden.add(error);
  return error;
}

const hidden = new WeakSet<Error>();

/** True for the error of `hiddenSession`, which the audit log tells from a mistyped id. */
export function isHiddenSession(error: unknown): boolean {
  return error instanceof RequestError && hidden.has(error);
}

/** Shortens a client's value for an error message to 100 code units: it may have megabytes. */
export function abbreviate(value: string): string {
  return value.length <= 100 ? value : `${value.slice(0, 100).toWellFormed()}…`;
}
