import type { RetryableError } from "#shared/errors.ts";
import type { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** The content of one chunk of an answer; errors are thrown, never yielded, and warnings are the gateway's own. */
export type Content = Exclude<NonNullable<GenerateResponse["content"]>, { $case: "error" | "warning" }>;

/** One Generate call, as passed to a provider. */
export interface ProviderCall {
  readonly request: GenerateRequest;
  readonly config: ProviderConfig;
  /** Aborts when the caller cancels, its deadline passes or the gateway stops; the provider closes its socket then. */
  readonly signal: AbortSignal;
  /** The caller's deadline in milliseconds since the epoch, or Infinity. */
  readonly deadline: number;
  readonly log: Logger;
  /** Called with the error of each try that is followed by another one. */
  readonly retried?: ((error: RetryableError) => void) | undefined;
  /** Takes what the provider's answer has for the name of its model, unchecked. */
  readonly answeredBy: (model: unknown) => void;
}

/**
 * Performs one call and yields its content as it arrives. Throws TerminalError or RetryableError with one of
 * LLM_ERROR_CODES, or the signal's reason. Leaving the loop early releases the call's resources.
 */
export type Provider = (call: ProviderCall) => AsyncIterable<Content>;
