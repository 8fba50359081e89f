import { RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import { retryable, terminal } from "../../../errors/llm-error.ts";
import { isObject } from "../../../parse-json.ts";
import {
  failureError,
  isTooLong,
  isUnpaid,
  kindOfStatus,
  type FailureKind,
} from "../../../errors/provider-failure.ts";
import { redact } from "../../../errors/redact.ts";
import { parseRetryAfter } from "../../../errors/parse-retry-after.ts";

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
  readonly retryAfterMs: number | undefined;
}

/** Translates whatever LangChain, an SDK, fetch or the conversion threw into an error with a verdict. */
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
    return failureError({ ...failure, kind: kindOf(failure), credential, cause: error });
  }
  const message = redact(error.message, context.secrets);
  if (error instanceof RangeError) return terminal("invalid_request", message, { cause: error });
  const reason = networkReason(error);
  return reason === undefined
    ? retryable("provider_error", `the provider's answer cannot be read: ${message}`, { cause: error })
    : retryable(
        "provider_error",
        `the connection to the provider failed (${redact(reason, context.secrets)})`,
        {
          cause: error,
        },
      );
}

const BLOCKED = /content_filter|content_policy|invalid_prompt|safety_check|moderation/iu;

function kindOf({ status, kinds, said }: Failure): FailureKind {
  const all = [...kinds, said].join(" ");
  const isKind = (pattern: RegExp) => kinds.some((kind) => pattern.test(kind));
  const isOurs = status === undefined || (status >= 400 && status < 500);
  if (isOurs && isUnpaid(all)) return "credentials";
  if (isOurs && status !== 429 && isTooLong(all)) return "context_too_long";
  if (status === 400 && isKind(BLOCKED)) return "content_blocked";
  // The model's call, not ours, does not match its tool: the next answer's may.
  if (isKind(/tool_use_failed/iu)) return "failed";
  if (status === undefined) return BY_KIND.find(([pattern]) => isKind(pattern))?.[1] ?? "failed";
  return kindOfStatus(status);
}

/** In the middle of a stream there is no status. */
const BY_KIND: readonly (readonly [RegExp, FailureKind])[] = [
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
      said: redact(said, context.secrets),
      retryAfterMs: retryAfterIn(fields["headers"]),
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

function retryAfterIn(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const precise = Number(headers.get("retry-after-ms") ?? Number.NaN);
  return precise >= 0 ? precise : parseRetryAfter(headers.get("retry-after"));
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
