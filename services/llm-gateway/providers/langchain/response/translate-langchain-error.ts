import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { isObject } from "#shared/exact-json.ts";
import { connectionError } from "../../../errors/connection-error.ts";
import { retryable, terminal } from "../../../errors/llm-error.ts";
import { parseRetryAfter } from "../../../errors/parse-retry-after.ts";
import { failureKind } from "../../../errors/failure-kind.ts";
import { failureError, type ErrorContext } from "../../../errors/provider-failure.ts";
import { redact } from "../../../errors/redact.ts";
import { plainError } from "../../../errors/web-page.ts";
import { parseJson } from "../../../parse-json.ts";
import { ResponseError } from "../../response-error.ts";

/** An error that a provider reported, in an HTTP response or inside an answer. */
interface Failure {
  /** HTTP status; undefined for an error inside an answer, whose status was 200. */
  readonly status: number | undefined;
  /** The error's types and codes, e.g. "overloaded_error" or "rate_limit_exceeded"; may be empty. */
  readonly kinds: readonly string[];
  /** The provider's own error text, redacted. */
  readonly detail: string;
  /** The delay before a retry that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** Translates any error of LangChain, an SDK, fetch or the conversion to a terminal or retryable error. */
export function translateLangchainError(
  thrown: unknown,
  context: ErrorContext,
): TerminalError | RetryableError {
  if (thrown instanceof TerminalError && thrown.code === "malformed") {
    return retryable("provider_error", thrown.message, { cause: thrown });
  }
  if (thrown instanceof TerminalError || thrown instanceof RetryableError) return thrown;
  const error = coerceError(thrown);
  const verdict = causes(error).find(
    (cause) => cause instanceof TerminalError || cause instanceof RetryableError,
  );
  if (verdict instanceof TerminalError || verdict instanceof RetryableError) return verdict;
  const failure = failureOf(error, context);
  if (failure !== undefined) {
    const { credential } = context;
    return failureError({ ...failure, kind: failureKind(failure), credential, cause: error });
  }
  const message = redact(error.message, context.secrets);
  if (error instanceof RangeError) return terminal("invalid_request", message, { cause: error });
  // An error with a code that is no TypeError comes from the socket or the HTTP parser.
  const isOfSocket = "code" in error && typeof error.code === "string" && !(error instanceof TypeError);
  const reason = isOfSocket ? String(error.code) : networkReason(error);
  return reason === undefined
    ? retryable("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error })
    : connectionError(redact(reason, context.secrets), error);
}

/** Reads a ResponseError, or the fields of an SDK's error, which LangChain passes on; undefined if the error is not from the provider. */
function failureOf(error: Error, context: ErrorContext): Failure | undefined {
  for (const cause of causes(error)) {
    const fields = Object.fromEntries(Object.entries(cause));
    const isResponse = cause instanceof ResponseError;
    const status = typeof fields["status"] === "number" ? fields["status"] : undefined;
    const reported: unknown = isResponse ? parseJson(plainError(cause.body) ?? cause.body) : fields["error"];
    const body = innermost(reported);
    const said = typeof reported === "string" && reported !== "";
    if (!isResponse && status === undefined && body === undefined && !said) continue;
    return {
      status,
      kinds: [body?.["type"], body?.["code"], fields["code"], cause.name]
        .filter((kind) => typeof kind === "string" || typeof kind === "number")
        .map(String),
      detail: redact(detailOf(body?.["message"] ?? body?.["detail"] ?? reported, cause), context.secrets),
      retryAfterMs: isResponse ? cause.retryAfterMs : retryAfterIn(fields["headers"]),
    };
  }
  return undefined;
}

/** A response has the whole body, an error of OpenAI's SDK only the object inside. */
function innermost(body: unknown): Record<string, unknown> | undefined {
  if (!isObject(body)) return undefined;
  return isObject(body["error"]) ? body["error"] : body;
}

/** The error's text, else the whole body, else the first line of the message. */
function detailOf(text: unknown, cause: Error): string {
  if (typeof text === "string" && text !== "") return text;
  const body = cause instanceof ResponseError ? cause.body.trim() : "";
  return body === "" ? cause.message.replace(/\n.*$/su, "") : body;
}

function retryAfterIn(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  return parseRetryAfter(headers.get("retry-after"), headers.get("retry-after-ms"));
}

/** The SDKs' message is only "Connection error."; the reason is in the innermost cause. */
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

/** The error and its causes, outermost first, at most 8. */
function causes(error: Error): Error[] {
  const found: Error[] = [];
  for (let next: unknown = error; next instanceof Error && found.length < 8; next = next.cause) {
    found.push(next);
  }
  return found;
}
