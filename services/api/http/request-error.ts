/** What an error's answer says besides its sentence. */
export interface RequestErrorOptions {
  /** Where the values are few: what would have been accepted. */
  readonly allowed?: readonly string[] | undefined;
  /** Where the same request may succeed: when to send it again. */
  readonly retryAfterSeconds?: number;
}

/** A request that is answered with an error status and one sentence. */
export class RequestError extends Error {
  readonly status: number;
  readonly allowed: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, options: RequestErrorOptions = {}) {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.allowed = options.allowed;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** 400 in the reference's words: names the field and says why. */
export function validationError(field: string, why: string, allowed?: readonly string[]): RequestError {
  return new RequestError(400, `validation error on field '${field}': ${why}`, { allowed });
}

/** 404 for an id that names nothing. */
export function notFound(): RequestError {
  return new RequestError(404, "resource not found");
}
