import { TerminalError, type RetryableError } from "#shared/errors.ts";
import { ERROR_TEXTS } from "./error-texts.ts";
import { retryable, terminal, UnknownModelError } from "./llm-error.ts";
import { parseWaitText } from "./parse-wait-text.ts";
import { WAIT_ESTIMATE_MS } from "./wait-estimate.ts";

/** The kind of a failure, independent of the provider. */
export type FailureKind =
  | "credentials"
  | "unpaid"
  | "context_too_long"
  | "content_blocked"
  | "rate_limited"
  | "daily_quota"
  | "overloaded"
  | "unreachable"
  | "timeout"
  | "invalid_request"
  | "redirect"
  | "no_api"
  | "failed"
  | "refused";

/** A failure that the provider reported, in an HTTP response or in the middle of an answer. */
interface ProviderFailure {
  readonly kind: FailureKind;
  /** HTTP status; undefined for an error inside an answer, whose status was 200. */
  readonly status: number | undefined;
  /** The error's types and codes, e.g. "model_not_found"; absent for APIs whose status says as much. */
  readonly kinds?: readonly string[];
  /** The provider's own error text, redacted. */
  readonly detail: string;
  /** The delay before a retry that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The same as in ErrorContext. */
  readonly credential: string;
  readonly cause: Error;
}

/** The facts of a call that an adapter needs to report its errors. */
export interface ErrorContext {
  /** The variable with the credential, for messages; empty if none is configured. */
  readonly credential: string;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
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
  502: "unreachable",
  503: "overloaded",
  504: "timeout",
  // Cloudflare's, for a server behind it that is down.
  521: "unreachable",
  522: "unreachable",
  523: "unreachable",
  529: "overloaded",
};

/** The meaning of an HTTP status other than 2xx if nothing else is known. */
export function kindOfStatus(status: number): FailureKind {
  if (status < 400) return "redirect";
  return KIND_OF_STATUS[status] ?? (status >= 500 ? "failed" : "refused");
}

/**
 * The failure as a retryable or terminal error; its message is one sentence that ends with the provider's own text. It is an
 * UnknownModelError if the provider does not have the model.
 */
export function failureError(failure: ProviderFailure): TerminalError | RetryableError {
  const error = verdict(failure);
  if (!(error instanceof TerminalError) || failure.kind === "no_api") return error;
  const { status, kinds = [], detail, cause } = failure;
  const isUnknown =
    status === 404 || status === 410 || ERROR_TEXTS.noModel.test([...kinds, detail].join(" "));
  return isUnknown ? new UnknownModelError(error.code, error.message, { cause }) : error;
}

function verdict(failure: ProviderFailure): TerminalError | RetryableError {
  const { kind, status, detail, retryAfterMs, cause } = failure;
  const options = { cause, retryAfterMs };
  const at = status === undefined ? "" : ` (${status})`;
  if (["overloaded", "failed"].includes(kind) && ERROR_TEXTS.loading.test(detail)) {
    return retryable("overloaded", `the provider is still loading the model${at}: ${detail}`, {
      ...options,
      estimateMs: WAIT_ESTIMATE_MS.overloaded,
    });
  }
  switch (kind) {
    case "credentials":
      return terminal("credentials", `the provider refused ${credentialName(failure)}${at}: ${detail}`, {
        cause,
      });
    case "unpaid":
      return terminal(
        "credentials",
        `the account${ofKey(failure)} has no credit or quota left${at}: ${detail}`,
        {
          cause,
        },
      );
    case "context_too_long":
      return terminal("context_too_long", `the conversation is too long for the model: ${detail}`, { cause });
    case "content_blocked":
      return terminal("content_blocked", `the provider blocked the prompt${at}: ${detail}`, { cause });
    case "daily_quota":
      return terminal("rate_limited", `the provider's daily quota is used up: ${detail}`, { cause });
    case "rate_limited":
      return retryable("rate_limited", `the provider's rate limit is reached: ${detail}`, {
        cause,
        retryAfterMs: retryAfterMs ?? parseWaitText(detail),
        estimateMs: WAIT_ESTIMATE_MS.rateLimited,
      });
    case "overloaded":
      return retryable("overloaded", `the provider is overloaded: ${detail}`, {
        ...options,
        estimateMs: WAIT_ESTIMATE_MS.overloaded,
      });
    case "unreachable":
      return retryable("provider_error", `the provider's server is down${at}: ${detail}`, {
        ...options,
        estimateMs: WAIT_ESTIMATE_MS.unreachable,
      });
    case "timeout":
      return retryable("timeout", `the provider gave up${at}: ${detail}`, options);
    case "invalid_request":
      return terminal("invalid_request", `the provider refused the request${at}: ${detail}`, { cause });
    case "redirect":
      return terminal(
        "invalid_request",
        `the provider answered with a redirect${at}, which is not followed: set base_url to where it leads`,
        { cause },
      );
    case "no_api":
      return terminal(
        "invalid_request",
        `the server has no such API at this address${at}: ${detail}: check base_url, which for OpenAI's API usually ends in /v1`,
        { cause },
      );
    case "failed":
      return retryable("provider_error", `the provider failed${at}: ${detail}`, options);
    case "refused":
      return terminal("provider_error", `the provider refused the call${at}: ${detail}`, { cause });
    default:
      return kind satisfies never;
  }
}

function credentialName({ credential }: ProviderFailure): string {
  return credential === "" ? "a call without a key" : `the credential in ${credential}`;
}

function ofKey({ credential }: ProviderFailure): string {
  return credential === "" ? "" : ` of the credential in ${credential}`;
}
