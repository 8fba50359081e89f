import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { ERROR_TEXTS } from "../../../errors/error-texts.ts";
import {
  failureError,
  kindOfStatus,
  type ErrorContext,
  type FailureKind,
} from "../../../errors/provider-failure.ts";
import { redact } from "../../../errors/redact.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { ResponseError } from "../../response-error.ts";

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
 * Translates the errors that Bedrock itself reports; any other is returned as it is.
 */
export function translateBedrockError(thrown: unknown, context: ErrorContext): Error {
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const isResponse = error instanceof ResponseError;
  const { type, message } = isResponse ? reported(error) : { type: error.name, message: error.message };
  // Events of the stream name their exceptions with a small letter.
  const known = KINDS[`${type.charAt(0).toUpperCase()}${type.slice(1)}`];
  if (!isResponse && known === undefined) return error;
  const status = isResponse ? error.status : undefined;
  const kind = known ?? kindOfStatus(status ?? 0);
  const detail = redact(message, context.secrets);
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

/** The name of the exception, e.g. ThrottlingException, or an empty one, and what the response says. */
function reported({ headers, body }: ResponseError): { readonly type: string; readonly message: string } {
  const fields = parseJsonObject(body);
  const message = fields?.["message"] ?? fields?.["Message"];
  const type = headers["x-amzn-errortype"] ?? fields?.["__type"];
  return {
    // "ThrottlingException:http://internal.amazon.com/coral/…", "com.amazon.coral.service#ThrottlingException"
    type: typeof type === "string" ? type.replace(/:.*$/u, "").replace(/^.*#/u, "") : "",
    message: typeof message === "string" && message !== "" ? message : body,
  };
}
