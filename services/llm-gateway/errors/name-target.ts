import { RetryableError, TerminalError } from "#shared/errors.ts";
import { daysLeft, type Retirement } from "#shared/pricing/retirement-of.ts";
import { isLlmErrorCode, keepOf, retryable, terminal, UnknownModelError, waitAfter } from "./llm-error.ts";

/** The target of a call. */
interface CallTarget {
  /** The name for people; many providers may be in use. */
  readonly name: string;
  readonly model: string;
  /** When the model retires, if that is known. */
  readonly retirement: Retirement | undefined;
}

/**
 * Passes on what a call yields; its terminal and retryable errors begin with the target's name: which of many providers has failed.
 * A model that the provider does not have, and that has retired by `now`, is reported as that. Errors keep their cause; others than
 * those pass unchanged.
 */
export async function* nameTarget<T>(
  source: AsyncIterable<T>,
  target: CallTarget,
  now: () => Date,
): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw named(error, target, now);
  }
}

function named(error: unknown, target: CallTarget, now: () => Date): unknown {
  if (!(error instanceof TerminalError || error instanceof RetryableError)) return error;
  if (!isLlmErrorCode(error.code)) return error;
  const text =
    error instanceof UnknownModelError ? (retiredText(target, now()) ?? error.message) : error.message;
  const message = `${target.name}: ${text}`;
  return error instanceof TerminalError
    ? terminal(error.code, message, { cause: error.cause })
    : retryable(error.code, message, { cause: error.cause, ...waitAfter(error), keep: keepOf(error) });
}

function retiredText({ model, retirement }: CallTarget, now: Date): string | undefined {
  if (retirement === undefined || daysLeft(retirement, now) > 0) return undefined;
  const { day, successor } = retirement;
  return `model ${model} was retired on ${day}${successor === undefined ? "" : `, use ${successor}`}`;
}
