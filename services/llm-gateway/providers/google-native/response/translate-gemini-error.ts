import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { isObject } from "#shared/exact-json.ts";
import { connectionError } from "../../../errors/connection-error.ts";
import { retryable, terminal } from "../../../errors/llm-error.ts";
import { failureKind } from "../../../errors/failure-kind.ts";
import { failureError, type ErrorContext, type FailureKind } from "../../../errors/provider-failure.ts";
import { redact } from "../../../errors/redact.ts";
import { WEB_PAGE, describeWebPage, isWebPage } from "../../../errors/web-page.ts";
import { parseJson } from "../../../parse-json.ts";
import { ResponseError } from "../../response-error.ts";

/** Translates any error of the SDK, the socket or the conversion to a terminal or retryable error. */
export function translateGeminiError(thrown: unknown, context: ErrorContext): TerminalError | RetryableError {
  if (thrown instanceof ResponseError) return translateResponseError(thrown, context);
  if (thrown instanceof TerminalError && thrown.code === "malformed") {
    return retryable("provider_error", thrown.message, { cause: thrown });
  }
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const message = redact(error.message, context.secrets);
  if (error instanceof RangeError) return terminal("invalid_request", message, { cause: error });
  // An error with a code that is no TypeError comes from the socket or the HTTP parser.
  if ("code" in error && typeof error.code === "string" && !(error instanceof TypeError)) {
    return connectionError(error.code, error);
  }
  return retryable("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error });
}

function translateResponseError(
  error: ResponseError,
  { credential, secrets }: ErrorContext,
): TerminalError | RetryableError {
  const body = errorBody(error.body);
  return failureError({
    kind: kindOf(error.status, body),
    status: error.status,
    detail: redact(body.message, secrets),
    retryAfterMs: body.retryDelayMs ?? error.retryAfterMs,
    credential,
    cause: error,
  });
}

function kindOf(status: number | undefined, { message, reason, dailyQuota, isPage }: ErrorBody): FailureKind {
  if (reason === "API_KEY_INVALID") return "credentials";
  // The retry delay that comes with an exhausted daily quota does not say when the quota is reset.
  if (status === 429 && dailyQuota) return "daily_quota";
  return failureKind({ status, kinds: isPage ? [WEB_PAGE] : [], detail: message });
}

interface ErrorBody {
  readonly message: string;
  readonly reason: string | undefined;
  readonly retryDelayMs: number | undefined;
  /** The exceeded quota is a daily one. */
  readonly dailyQuota: boolean;
  readonly isPage: boolean;
}

/** Parses Google's error object, alone or in a list; any other body becomes the message. */
function errorBody(text: string): ErrorBody {
  const parsed = parseJson(text);
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const error = isObject(outer) ? outer["error"] : undefined;
  if (!isObject(error)) {
    const isPage = isWebPage(text);
    const message = isPage ? describeWebPage(text) : text;
    return { message, reason: undefined, retryDelayMs: undefined, dailyQuota: false, isPage };
  }
  const { message, details } = error;
  const known = objects(details);
  const [reason] = known.flatMap((detail) => (typeof detail["reason"] === "string" ? detail["reason"] : []));
  const [retryDelayMs] = known.flatMap(({ retryDelay }) => durationMs(retryDelay) ?? []);
  const quotas = known.flatMap(({ violations }) => objects(violations)).map(({ quotaId }) => quotaId);
  return {
    message: typeof message === "string" && message !== "" ? message : text,
    reason,
    retryDelayMs,
    dailyQuota: quotas.some((id) => typeof id === "string" && /PerDay/iu.test(id)),
    isPage: false,
  };
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

/** Parses protobuf's JSON form of a duration, e.g. "17.5s", to milliseconds. */
function durationMs(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const match = /^(?<number>\d+(?:\.\d+)?)s$/u.exec(text)?.groups?.["number"];
  return match === undefined ? undefined : Number(match) * 1_000;
}
