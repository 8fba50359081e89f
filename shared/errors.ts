import { inspect } from "node:util";

/**
 * Errors with a verdict: terminal, retryable or cancelled. An error is handled once, at the top of a request, a message
 * or a session, by its class. Foreign errors are translated into one of these where they enter.
 */
abstract class VerdictError extends Error {
  /** Stable, snake_case, for machines; the message is for people. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A retry cannot help: invalid input, an invalid configuration, a refused request. */
export class TerminalError extends VerdictError {}

/** A retry may succeed: a dependency is down, a limit was hit. `retryAfterMs` is the delay it asked for, if any. */
export class RetryableError extends VerdictError {
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options?: ErrorOptions & { retryAfterMs?: number }) {
    super(code, message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/**
 * The reason why work was cancelled. The reason decides how a session ends: `user` as cancelled, `session_deadline` as timed_out.
 * After `shutdown`, `parked` and `lease_lost` it does not end: it is continued later.
 */
export type CancelReason =
  | "user"
  | "session_deadline"
  | "iteration_deadline"
  | "lease_lost"
  | "shutdown"
  | "parked";

/** The `reason` of the project's AbortSignals: every aborted wait throws it unchanged. */
export class CancelledError extends VerdictError {
  readonly reason: CancelReason;

  constructor(reason: CancelReason, message: string, options?: ErrorOptions) {
    super(reason, message, options);
    this.reason = reason;
  }
}

/** The reason of a signal that a user's cancel aborts; its message becomes the session's `error_message`. */
export function cancelledByUser(): CancelledError {
  return new CancelledError("user", "cancelled by the user");
}

/** The reason when another executor has claimed the session: nothing more may be written or started. */
export function leaseLost(): CancelledError {
  return new CancelledError("lease_lost", "another executor took the session over");
}

/** Returns a thrown Error as it is; wraps any other value in an Error with the value as `cause`. */
export function coerceError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // Not String(): it throws for an object without a prototype.
  const message =
    typeof thrown === "string"
      ? thrown
      : `non-error thrown: ${inspect(thrown, { depth: 1, breakLength: Infinity })}`;
  return new Error(message, { cause: thrown });
}

/** One sentence for people: the error's message, or that of its first inner error if it is empty (AggregateError). */
export function errorMessage(thrown: unknown): string {
  const error = coerceError(thrown);
  if (error instanceof AggregateError && error.message === "" && error.errors.length > 0) {
    return errorMessage(error.errors[0]);
  }
  return error.message === "" ? error.name : error.message;
}
