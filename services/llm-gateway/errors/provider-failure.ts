import type { RetryableError, TerminalError } from "#shared/errors.ts";
import { retryable, terminal } from "./llm-error.ts";

/** What a failure means, whichever provider it came from. */
export type FailureKind =
  | "credentials"
  | "context_too_long"
  | "content_blocked"
  | "rate_limited"
  | "daily_quota"
  | "overloaded"
  | "timeout"
  | "invalid_request"
  | "redirect"
  | "failed"
  | "refused";

/** A failure that the provider itself told, in an HTTP response or in the middle of a stream. */
export interface ProviderFailure {
  readonly kind: FailureKind;
  /** Undefined within a stream that has begun with 200. */
  readonly status: number | undefined;
  /** In the provider's words, without secrets. */
  readonly said: string;
  /** How long the provider wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What a reader must set or replace, e.g. "the credential in OPENAI_API_KEY". */
  readonly credential: string;
  readonly cause: Error;
}

const KIND_OF_STATUS: Readonly<Record<number, FailureKind>> = {
  400: "invalid_request",
  401: "credentials",
  402: "credentials",
  403: "credentials",
  404: "invalid_request",
  408: "timeout",
  413: "context_too_long",
  422: "invalid_request",
  429: "rate_limited",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/** What an HTTP status other than 2xx means where nothing else is known. */
export function kindOfStatus(status: number): FailureKind {
  if (status < 400) return "redirect";
  return KIND_OF_STATUS[status] ?? (status >= 500 ? "failed" : "refused");
}

const TOO_LONG =
  /context_length_exceeded|exceed_context_size|prompt is too long|context length|maximum prompt length|context (?:window|limit|size)|token count.*exceeds|too many tokens|input tokens exceed/iu;
/** Not "billing" alone: Gemini speaks of it in every 429. */
const UNPAID =
  /insufficient[_ ](?:quota|balance|credits)|credit balance|(?:prepayment|available) credits|billing_\w+/iu;

/** Whether a refusal, in words or by name, says that the conversation does not fit the model. */
export function isTooLong(said: string): boolean {
  return TOO_LONG.test(said);
}

/** Whether a refusal says that the account is empty, where waiting does not help, whatever the status. */
export function isUnpaid(said: string): boolean {
  return UNPAID.test(said);
}

/** The failure as an error with its verdict, told in one sentence with the provider's own words at its end. */
export function failureError(failure: ProviderFailure): TerminalError | RetryableError {
  const { kind, status, said, retryAfterMs, cause } = failure;
  const options = { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const at = status === undefined ? "" : ` (${status})`;
  switch (kind) {
    case "credentials":
      return terminal("credentials", `the provider refused ${failure.credential}${at}: ${said}`, { cause });
    case "context_too_long":
      return terminal("context_too_long", `the conversation is too long for the model: ${said}`, { cause });
    case "content_blocked":
      return terminal("content_blocked", `the provider blocked the prompt${at}: ${said}`, { cause });
    case "daily_quota":
      return terminal("rate_limited", `the provider's daily quota is used up: ${said}`, { cause });
    case "rate_limited":
      return retryable("rate_limited", `the provider's rate limit is reached: ${said}`, options);
    case "overloaded":
      return retryable("overloaded", `the provider is overloaded: ${said}`, options);
    case "timeout":
      return retryable("timeout", `the provider gave up${at}: ${said}`, options);
    case "invalid_request":
      return terminal("invalid_request", `the provider refused the request${at}: ${said}`, { cause });
    case "redirect":
      return terminal(
        "invalid_request",
        `the provider answered with a redirect${at}, which is not followed: set base_url to where it leads`,
        { cause },
      );
    case "failed":
      return retryable("provider_error", `the provider failed${at}: ${said}`, options);
    case "refused":
      return terminal("provider_error", `the provider refused the call${at}: ${said}`, { cause });
    default:
      return kind satisfies never;
  }
}
