import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { isObject } from "../google-native/parse-json-object.ts";
import { refusal, setback } from "../llm-error.ts";

export interface ErrorContext {
  /** What a reader must set or replace, e.g. "the credential in OPENAI_API_KEY". */
  readonly credential: string;
  /** Never to appear in a message. */
  readonly secrets: readonly string[];
}

/** What a provider said about a failure, in an HTTP response or in the middle of a stream. */
interface Failure {
  /** Undefined within a stream, which has begun with 200. */
  readonly status: number | undefined;
  /** The error's type and code, e.g. "overloaded_error" or "rate_limit_exceeded"; may be empty. */
  readonly kinds: readonly string[];
  readonly said: string;
  /** The provider's own wish, in milliseconds. */
  readonly wishMs: number | undefined;
}

/** Translates whatever LangChain, an SDK, fetch or the conversion threw into an error with a verdict. */
export function errorIn(thrown: unknown, context: ErrorContext): TerminalError | RetryableError {
  if (thrown instanceof TerminalError && thrown.code === "malformed") {
    return setback("provider_error", thrown.message, { cause: thrown });
  }
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const verdict = causes(error).find(
    (cause) => cause instanceof TerminalError || cause instanceof RetryableError,
  );
  if (verdict instanceof TerminalError || verdict instanceof RetryableError) return verdict;
  const failure = failureOf(error, context);
  if (failure !== undefined) return failureIn(failure, error, context);
  const message = redact(error.message, context);
  if (error instanceof RangeError) return refusal("invalid_request", message, { cause: error });
  const reason = networkReason(error);
  return reason === undefined
    ? setback("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error })
    : setback("provider_error", `the connection to the provider failed (${redact(reason, context)})`, {
        cause: error,
      });
}

function failureIn(failure: Failure, cause: Error, context: ErrorContext): TerminalError | RetryableError {
  const { status, said, wishMs } = failure;
  const options = { cause, ...(wishMs === undefined ? {} : { retryAfterMs: wishMs }) };
  const at = status === undefined ? "" : ` (${status})`;
  switch (judge(failure)) {
    case "credentials":
      return refusal("credentials", `the provider refused ${context.credential}${at}: ${said}`, { cause });
    case "context_too_long":
      return refusal("context_too_long", `the conversation is too long for the model: ${said}`, { cause });
    case "content_blocked":
      return refusal("content_blocked", `the provider blocked the prompt${at}: ${said}`, { cause });
    case "rate_limited":
      return setback("rate_limited", `the provider's rate limit is reached: ${said}`, options);
    case "overloaded":
      return setback("overloaded", `the provider is overloaded: ${said}`, options);
    case "timeout":
      return setback("timeout", `the provider gave up${at}: ${said}`, options);
    case "invalid_request":
      return refusal("invalid_request", `the provider refused the request${at}: ${said}`, { cause });
    case "failed":
      return setback("provider_error", `the provider failed${at}: ${said}`, options);
    default:
      return refusal("provider_error", `the provider refused the call${at}: ${said}`, { cause });
  }
}

const TOO_LONG =
  /context_length_exceeded|exceed_context_size|prompt is too long|maximum context length|maximum prompt length|context (?:window|limit|size)|token count.*exceeds|too many tokens|input tokens exceed/iu;
const BLOCKED = /content_filter|content_policy|invalid_prompt|safety_check|moderation/iu;
/** Waiting does not help here, unlike with a rate limit of the same status. */
const UNPAID = /insufficient_quota|billing|credit balance|insufficient balance/iu;

function judge({ status, kinds, said }: Failure): string {
  const all = [...kinds, said].join(" ");
  const isKind = (pattern: RegExp) => kinds.some((kind) => pattern.test(kind));
  const isOurs = status === undefined || (status >= 400 && status < 500);
  if (isOurs && UNPAID.test(all)) return "credentials";
  if (status === 413 || (isOurs && status !== 429 && TOO_LONG.test(all))) return "context_too_long";
  if (status === 400 && isKind(BLOCKED)) return "content_blocked";
  // The model's call, not ours, does not match its tool: the next answer's may.
  if (isKind(/tool_use_failed/iu)) return "failed";
  if (status === undefined) return BY_KIND.find(([pattern]) => isKind(pattern))?.[1] ?? "failed";
  return BY_STATUS[status] ?? (status >= 500 ? "failed" : "refused");
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "credentials",
  402: "credentials",
  403: "credentials",
  404: "invalid_request",
  408: "timeout",
  422: "invalid_request",
  429: "rate_limited",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/** In the middle of a stream there is no status. */
const BY_KIND: readonly (readonly [RegExp, string])[] = [
  [/overloaded|slow_down/iu, "overloaded"],
  [/rate_limit/iu, "rate_limited"],
  [/timeout/iu, "timeout"],
  [/authentication|permission|api_key/iu, "credentials"],
  [BLOCKED, "content_blocked"],
  [/invalid_request/iu, "invalid_request"],
];

/** Reads an SDK's error by its form, which LangChain leaves as it is; undefined where no provider has spoken. */
function failureOf(error: Error, context: ErrorContext): Failure | undefined {
  for (const cause of causes(error)) {
    const fields = Object.fromEntries(Object.entries(cause));
    const status = typeof fields["status"] === "number" ? fields["status"] : undefined;
    const body = innermost(fields["error"]);
    if (status === undefined && body === undefined) continue;
    const text: unknown = body?.["message"] ?? body?.["detail"] ?? fields["error"];
    const said = typeof text === "string" && text !== "" ? text : firstLine(cause.message);
    return {
      status,
      kinds: [body?.["type"], body?.["code"], fields["code"], cause.name].filter(
        (kind) => typeof kind === "string",
      ),
      said: redact(said, context),
      wishMs: retryAfterMs(fields["headers"]),
    };
  }
  return undefined;
}

/** Anthropic has its error in the body's error; OpenAI's SDK has unpacked it already. */
function innermost(body: unknown): Record<string, unknown> | undefined {
  if (!isObject(body)) return undefined;
  return isObject(body["error"]) ? body["error"] : body;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

function retryAfterMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const precise = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (precise >= 0) return precise;
  const header = headers.get("retry-after");
  if (header === null) return undefined;
  if (/^\d{1,6}(?:\.\d+)?$/u.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The SDKs say only "Connection error."; what happened is in the innermost cause. */
function networkReason(error: Error): string | undefined {
  const all = causes(error);
  const isNetwork = all.some(
    ({ name, message }) =>
      /Connection|Timeout/u.test(name) || /^(?:Connection error|terminated|fetch failed)/u.test(message),
  );
  if (!isNetwork) return undefined;
  const last = all.at(-1) ?? error;
  const code = "code" in last && typeof last.code === "string" ? last.code : last.message;
  return code === "" ? last.name : code;
}

/** The error and what caused it, outermost first. */
function causes(error: Error): Error[] {
  const found: Error[] = [];
  for (let next: unknown = error; next instanceof Error && found.length < 8; next = next.cause) {
    found.push(next);
  }
  return found;
}

/** More of an error is not told; some are whole web pages, on which the expression below would take its time. */
const MAX_SAID = 2_000;

/** Also without the parts of a key that OpenAI repeats between asterisks. */
function redact(message: string, { secrets }: ErrorContext): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text.replaceAll(secret, "[redacted]"), message)
    .slice(0, MAX_SAID)
    .replaceAll(/\S{0,200}\*{3,}\S{0,200}/gu, "[redacted]");
}
