import { LLM_ERROR_CODES } from "#shared/contracts/llm-error-codes.ts";
import { RetryableError, TerminalError } from "#shared/errors.ts";

type LlmErrorCode = (typeof LLM_ERROR_CODES)[number];

/** True for one of LLM_ERROR_CODES. */
export function isLlmErrorCode(code: string): code is LlmErrorCode {
  return LLM_ERROR_CODES.some((known) => known === code);
}

/** An error that retrying the same call cannot fix. */
export function terminal(code: LlmErrorCode, message: string, options?: ErrorOptions): TerminalError {
  return new TerminalError(code, message, options);
}

/** A terminal error of a provider that does not have, or no longer has, the model of the call. */
export class UnknownModelError extends TerminalError {}

interface RetryableOptions extends ErrorOptions {
  /** The delay that the provider asked for, in milliseconds; also the gateway's own retries wait at least as long. */
  readonly retryAfterMs?: number | undefined;
  /** An estimate for the caller when waiting is a remedy but the provider stated no time, in milliseconds. */
  readonly estimateMs?: number | undefined;
  /** False if the gateway itself must not try again; the caller decides. */
  readonly repeatable?: boolean;
  /** The part of the answer that is worth keeping, if not all. */
  readonly keep?: Keep | undefined;
}

/** Lengths in code units at which the text or the thinking of an answer is to be cut. */
interface Keep {
  readonly text?: number;
  readonly thinking?: number;
}

/** An error after which a retry may succeed. */
export function retryable(code: LlmErrorCode, message: string, options?: RetryableOptions): RetryableError {
  return new LlmRetryableError(code, message, options);
}

class LlmRetryableError extends RetryableError {
  readonly estimateMs: number | undefined;
  readonly repeatable: boolean;
  readonly keep: Keep | undefined;

  constructor(code: string, message: string, options: RetryableOptions = {}) {
    const { retryAfterMs, estimateMs, repeatable = true, keep, ...rest } = options;
    super(code, message, { ...rest, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    this.estimateMs = estimateMs;
    this.repeatable = repeatable;
    this.keep = keep;
  }
}

/**
 * When a call may succeed after this error: the provider's own delay, else the estimate. Undefined if waiting is no
 * remedy.
 */
export function waitAfter(error: RetryableError): Pick<RetryableOptions, "retryAfterMs" | "estimateMs"> {
  const { retryAfterMs } = error;
  return { retryAfterMs, estimateMs: error instanceof LlmRetryableError ? error.estimateMs : undefined };
}

/** True if the gateway itself may try again after this error. */
export function isRepeatable(error: RetryableError): boolean {
  return !(error instanceof LlmRetryableError) || error.repeatable;
}

/** The part of the answer that is worth keeping that this error ended, if not all. */
export function keepOf(error: RetryableError): Keep | undefined {
  return error instanceof LlmRetryableError ? error.keep : undefined;
}
