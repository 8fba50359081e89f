/** A request that is answered with an error status and one sentence. */
export class RequestError extends Error {
  readonly status: number;
  /** Where the values are few: what would have been accepted. */
  readonly allowed: readonly string[] | undefined;

  constructor(status: number, message: string, allowed?: readonly string[]) {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.allowed = allowed;
  }
}

/** 400 in the reference's words: names the field and says why. */
export function validationError(field: string, why: string, allowed?: readonly string[]): RequestError {
  return new RequestError(400, `validation error on field '${field}': ${why}`, allowed);
}

/** 404 for an id that names nothing. */
export function notFound(): RequestError {
  return new RequestError(404, "resource not found");
}
