import { inspect } from "node:util";

/**
 * Errors that carry their own verdict, so that whoever handles one (once, at the top of a request, a message
 * or a session) needs no table of foreign error names. Foreign errors are translated where they enter.
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

/** Trying again cannot help: bad input, a broken configuration, a refusal. */
export class TerminalError extends VerdictError {}

/** A later try may succeed: a dependency is down, a limit was hit. `retryAfterMs` is the dependency's own wish, if it had one. */
export class RetryableError extends VerdictError {
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options?: ErrorOptions & { retryAfterMs?: number }) {
    super(code, message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** Why work was called off; the reason decides the terminal status (design decision 5). */
export type CancelReason = "user" | "session_deadline" | "iteration_deadline" | "lease_lost" | "shutdown";

/** Used as the `reason` of every AbortSignal of ours, so that whatever waited rethrows it unchanged. */
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

/** Turns whatever was thrown into an Error, keeping the original as `cause` where it was not one. */
export function coerceError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // Not String(): an object without a prototype has no text and would throw in turn.
  const message =
    typeof thrown === "string"
      ? thrown
      : `non-error thrown: ${inspect(thrown, { depth: 1, breakLength: Infinity })}`;
  return new Error(message, { cause: thrown });
}

/** One sentence for people: the message, or the first inner one where the outer is empty (as with AggregateError). */
export function errorMessage(thrown: unknown): string {
  const error = coerceError(thrown);
  if (error instanceof AggregateError && error.message === "" && error.errors.length > 0) {
    return errorMessage(error.errors[0]);
  }
  return error.message === "" ? error.name : error.message;
}
