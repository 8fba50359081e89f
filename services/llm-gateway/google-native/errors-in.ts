import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { refusal, setback } from "../llm-error.ts";
import { isObject, parseJson } from "./parse-json-object.ts";
import { ResponseError } from "./response-error.ts";

export interface ErrorContext {
  /** The variable that named the credential: what a reader must set or replace. */
  readonly apiKeyEnv: string;
  /** Never to appear in a message. */
  readonly apiKey: string;
}

/** Translates whatever the SDK, the socket or the conversion threw into an error with a verdict. */
export function errorIn(thrown: unknown, context: ErrorContext): TerminalError | RetryableError {
  if (thrown instanceof ResponseError) return refusalIn(thrown, context);
  if (thrown instanceof TerminalError && thrown.code === "malformed") {
    return setback("provider_error", thrown.message, { cause: thrown });
  }
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const message = redact(error.message, context.apiKey);
  if (error instanceof RangeError) return refusal("invalid_request", message, { cause: error });
  // What has a code but is no TypeError comes from the socket or from the parser of HTTP.
  if ("code" in error && typeof error.code === "string" && !(error instanceof TypeError)) {
    return setback("provider_error", `the connection to the provider failed (${error.code})`, {
      cause: error,
    });
  }
  return setback("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error });
}

function refusalIn(error: ResponseError, context: ErrorContext): TerminalError | RetryableError {
  const body = errorBody(error.body);
  const said = redact(body.message, context.apiKey);
  const retryAfterMs = body.retryDelayMs ?? error.retryAfterMs;
  const cause = { cause: error };
  const options = { ...cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const { status } = error;
  if (status === 401 || status === 403 || body.reason === "API_KEY_INVALID") {
    return refusal(
      "credentials",
      `the provider refused the credential in ${context.apiKeyEnv} (${status}): ${said}`,
      cause,
    );
  }
  if (status === 413 || (status === 400 && TOO_LONG.test(said))) {
    return refusal("context_too_long", `the conversation is too long for the model: ${said}`, cause);
  }
  switch (status) {
    case 429:
      // The delay that comes with a daily quota's refusal is not when the quota is full again.
      if (body.dailyQuota) {
        return refusal("rate_limited", `the provider's daily quota is used up: ${said}`, cause);
      }
      return setback("rate_limited", `the provider's rate limit is reached: ${said}`, options);
    case 503:
      return setback("overloaded", `the provider is overloaded: ${said}`, options);
    case 408:
    case 504:
      return setback("timeout", `the provider gave up (${status}): ${said}`, options);
    case 400:
    case 404:
      return refusal("invalid_request", `the provider refused the request (${status}): ${said}`, cause);
    default:
      if (status >= 500) {
        return setback("provider_error", `the provider failed (${status}): ${said}`, options);
      }
      return status < 400
        ? refusal(
            "invalid_request",
            `the provider answered with a redirect (${status}), which is not followed: set base_url to where it leads`,
            cause,
          )
        : refusal("provider_error", `the provider refused the call (${status}): ${said}`, cause);
  }
}

const TOO_LONG = /token count.*exceeds|too many tokens|context length/iu;

interface ErrorBody {
  readonly message: string;
  readonly reason: string | undefined;
  readonly retryDelayMs: number | undefined;
  /** A limit per day is what refused the call. */
  readonly dailyQuota: boolean;
}

/** Google's error object, alone or in a list; anything else is its own message. */
function errorBody(text: string): ErrorBody {
  const parsed = parseJson(text);
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const error = isObject(outer) ? outer["error"] : undefined;
  if (!isObject(error)) {
    return { message: text, reason: undefined, retryDelayMs: undefined, dailyQuota: false };
  }
  const { message, details } = error;
  const known = objects(details);
  const [reason] = known.flatMap((detail) => (typeof detail["reason"] === "string" ? detail["reason"] : []));
  const [retryDelayMs] = known.flatMap(({ retryDelay }) => seconds(retryDelay) ?? []);
  const quotas = known.flatMap(({ violations }) => objects(violations)).map(({ quotaId }) => quotaId);
  return {
    message: typeof message === "string" && message !== "" ? message : text,
    reason,
    retryDelayMs,
    dailyQuota: quotas.some((id) => typeof id === "string" && /PerDay/iu.test(id)),
  };
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

/** protobuf's JSON form of a duration, e.g. "17.5s", in milliseconds. */
function seconds(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const match = /^(?<number>\d+(?:\.\d+)?)s$/u.exec(text)?.groups?.["number"];
  return match === undefined ? undefined : Number(match) * 1_000;
}

function redact(message: string, secret: string): string {
  return secret === "" ? message : message.replaceAll(secret, "[redacted]");
}
