import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { connectionError } from "../../../errors/connection-error.ts";
import { ERROR_TEXTS } from "../../../errors/error-texts.ts";
import {
  failureError,
  kindOfStatus,
  type ErrorContext,
  type FailureKind,
} from "../../../errors/provider-failure.ts";
import { redact } from "../../../errors/redact.ts";
import { BedrockResponseError } from "./bedrock-response-error.ts";

/** What Bedrock's exceptions mean, in a response and in a stream. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  ThrottlingException: "rate_limited",
  ServiceQuotaExceededException: "rate_limited",
  ServiceUnavailableException: "overloaded",
  ModelNotReadyException: "overloaded",
  ModelTimeoutException: "timeout",
  ModelErrorException: "failed",
  ModelStreamErrorException: "failed",
  InternalServerException: "failed",
  ValidationException: "invalid_request",
  ResourceNotFoundException: "invalid_request",
  AccessDeniedException: "credentials",
  UnrecognizedClientException: "credentials",
  InvalidSignatureException: "credentials",
  ExpiredTokenException: "credentials",
  IncompleteSignatureException: "credentials",
  MissingAuthenticationTokenException: "credentials",
};

/** Titan's and Claude's words on Bedrock. */
const TOO_LONG = /input is too long|too many input tokens|maximum context/iu;

/**
 * Translates the errors that Bedrock itself reports, and those of the socket, which have a code. Any other is returned as it is:
 * the answer cannot be read.
 */
export function translateBedrockError(thrown: unknown, context: ErrorContext): Error {
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const isResponse = error instanceof BedrockResponseError;
  const type = isResponse ? error.type : error.name;
  // Events of the stream name their exceptions with a small letter.
  const known = KINDS[`${type.charAt(0).toUpperCase()}${type.slice(1)}`];
  if (!isResponse && known === undefined) {
    const isOfSocket = "code" in error && typeof error.code === "string" && !(error instanceof TypeError);
    return isOfSocket ? connectionError(String(error.code), error) : error;
  }
  const status = isResponse ? error.status : undefined;
  const kind = known ?? kindOfStatus(status ?? 0);
  const detail = redact(error.message, context.secrets);
  const isLong = kind === "invalid_request" && (ERROR_TEXTS.tooLong.test(detail) || TOO_LONG.test(detail));
  return failureError({
    kind: isLong ? "context_too_long" : kind,
    status,
    detail: type === "" ? detail : `${type}: ${detail}`,
    retryAfterMs: isResponse ? error.retryAfterMs : undefined,
    credential: context.credential,
    cause: error,
  });
}
