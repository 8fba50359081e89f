import { ApiError } from "@google/genai";
import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { refusal, setback } from "../llm-error.ts";
import { isObject, parseJsonObject } from "./parse-json-object.ts";

export interface ErrorContext {
  /** The variable that named the credential: what a reader must set or replace. */
  readonly apiKeyEnv: string;
  /** Never to appear in a message. */
  readonly apiKey: string;
  /** The Retry-After header of the response, where it had one. */
  readonly retryAfterMs: number | undefined;
}

/** Translates whatever the SDK, fetch or the conversion threw into an error with a verdict. */
export function errorIn(thrown: unknown, context: ErrorContext): TerminalError | RetryableError {
  if (thrown instanceof ApiError) return apiErrorIn(thrown, context);
  if (thrown instanceof TerminalError && thrown.code === "malformed") {
    return setback("provider_error", thrown.message, { cause: thrown });
  }
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const message = redact(error.message, context.apiKey);
  if (error instanceof RangeError) return refusal("invalid_request", message, { cause: error });
  const reason = networkReason(error);
  if (error instanceof TypeError && reason !== undefined) {
    return setback(
      "provider_error",
      `the connection to the provider failed (${redact(reason, context.apiKey)})`,
      {
        cause: error,
      },
    );
  }
  return setback("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error });
}

/** fetch says only "fetch failed" or "terminated"; what happened is in the cause. */
function networkReason(error: Error): string | undefined {
  const { cause } = error;
  if (cause instanceof Error) {
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
    return code === "" ? cause.name : code;
  }
  return /^(?:terminated|fetch failed)$/u.test(error.message) ? error.message : undefined;
}

function apiErrorIn(error: ApiError, context: ErrorContext): TerminalError | RetryableError {
  const body = errorBody(error.message);
  const said = redact(body.message, context.apiKey);
  const retryAfterMs = body.retryDelayMs ?? context.retryAfterMs;
  const options = { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const { status } = error;
  if (status === 401 || status === 403 || body.reason === "API_KEY_INVALID") {
    return refusal(
      "credentials",
      `the provider refused the credential in ${context.apiKeyEnv} (${status}): ${said}`,
      { cause: error },
    );
  }
  if (
    status === 413 ||
    (status === 400 && /token count.*exceeds|too many tokens|context length/iu.test(said))
  ) {
    return refusal("context_too_long", `the conversation is too long for the model: ${said}`, {
      cause: error,
    });
  }
  switch (status) {
    case 429:
      return setback("rate_limited", `the provider's rate limit is reached: ${said}`, options);
    case 503:
      return setback("overloaded", `the provider is overloaded: ${said}`, options);
    case 408:
    case 504:
      return setback("timeout", `the provider gave up (${status}): ${said}`, options);
    case 400:
    case 404:
      return refusal("invalid_request", `the provider refused the request (${status}): ${said}`, {
        cause: error,
      });
    default:
      return status >= 500
        ? setback("provider_error", `the provider failed (${status}): ${said}`, options)
        : refusal("provider_error", `the provider refused the call (${status}): ${said}`, { cause: error });
  }
}

interface ErrorBody {
  readonly message: string;
  readonly reason: string | undefined;
  readonly retryDelayMs: number | undefined;
}

/** The SDK puts the response's JSON into the message, sometimes behind words of its own. */
function errorBody(message: string): ErrorBody {
  const parsed = parseJsonObject(message.slice(Math.max(0, message.indexOf("{"))));
  const error = parsed?.["error"];
  if (!isObject(error)) return { message, reason: undefined, retryDelayMs: undefined };
  const details: unknown[] = Array.isArray(error["details"]) ? error["details"] : [];
  let reason: string | undefined;
  let retryDelayMs: number | undefined;
  for (const detail of details.filter(isObject)) {
    if (typeof detail["reason"] === "string") reason ??= detail["reason"];
    if (typeof detail["retryDelay"] === "string") retryDelayMs ??= seconds(detail["retryDelay"]);
  }
  const text = error["message"];
  return { message: typeof text === "string" && text !== "" ? text : message, reason, retryDelayMs };
}

/** protobuf's JSON form of a duration, e.g. "17.5s". */
function seconds(text: string): number | undefined {
  const match = /^(?<number>\d+(?:\.\d+)?)s$/u.exec(text)?.groups?.["number"];
  return match === undefined ? undefined : Number(match) * 1_000;
}

function redact(message: string, secret: string): string {
  return secret === "" ? message : message.replaceAll(secret, "[redacted]");
}
