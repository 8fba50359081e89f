import { ERROR_TEXTS } from "./error-texts.ts";
import { parseWaitText } from "./parse-wait-text.ts";
import { kindOfStatus, type FailureKind } from "./provider-failure.ts";
import { WEB_PAGE } from "./web-page.ts";

/** A failure as a server reports it. */
interface ReportedFailure {
  /** HTTP status; undefined for an error inside an answer, whose status was 200. */
  readonly status: number | undefined;
  /** The error's types and codes, e.g. "overloaded_error" or "rate_limit_exceeded"; may be empty. */
  readonly kinds: readonly string[];
  /** The error's text. */
  readonly detail: string;
}

/** The meaning of a failure of a server, in any words of its report. */
export function failureKind(failure: ReportedFailure): FailureKind {
  const { status, kinds } = failure;
  const said = kindInWords(failure);
  if (said !== undefined) return said;
  // The model's tool call did not match the tool's schema; the next sample may.
  if (kinds.some((kind) => /tool_use_failed/iu.test(kind))) return "failed";
  return status === undefined ? kindInAnswer(kinds) : kindOfStatus(status);
}

function kindInWords({ status, kinds, detail }: ReportedFailure): FailureKind | undefined {
  const all = [...kinds, detail].join(" ");
  // Proxies and routers report what cannot succeed as a rate limit or a failure of theirs.
  if (ERROR_TEXTS.unpaid.test(all)) return "unpaid";
  if (status === 429) return exceededLimit(detail) ?? permanentKind(all, kinds, detail) ?? dailyQuota(detail);
  // llama.cpp reports a full context as 500.
  const isOfRequest = status === undefined || (status >= 400 && status <= 500);
  if (isOfRequest && ERROR_TEXTS.tooLong.test(all)) return "context_too_long";
  if (status === 403 && isBlocked(kinds, detail)) return "content_blocked";
  const permanent =
    status !== undefined && (status === 400 || status >= 500) ? permanentKind(all, kinds, detail) : undefined;
  return permanent ?? (isNoApi(status, kinds, detail) ? "no_api" : undefined);
}

/** The kinds of failure that no retry ends, although the status says little, in its words. */
function permanentKind(all: string, kinds: readonly string[], detail: string): FailureKind | undefined {
  if (isBlocked(kinds, detail)) return "content_blocked";
  if (ERROR_TEXTS.badKey.test(all)) return "credentials";
  return ERROR_TEXTS.noModel.test(all) ? "invalid_request" : undefined;
}

const REQUESTED =
  /\blimit:?\s{0,3}(?<limit>\d[\d,]*)\b.{0,200}?\brequested:?\s{0,3}(?<requested>\d[\d,]*)/isu;

/** The kind of failure of a request that is larger than the rate at any time: no wait makes room for it. Undefined for a smaller one. */
function exceededLimit(detail: string): FailureKind | undefined {
  const groups = REQUESTED.exec(detail)?.groups ?? {};
  const [limit = 0, requested = 0] = [groups["limit"], groups["requested"]].map((number = "0") =>
    Number(number.replaceAll(",", "")),
  );
  if (requested <= limit) return undefined;
  return limit === 0 ? "unpaid" : "context_too_long";
}

/** A quota per day whose reset is not within the wait that the provider names. */
function dailyQuota(detail: string): FailureKind | undefined {
  const isOfDay = /\bper[ -]day\b/iu.test(detail) && !/\bper[ -]?min/iu.test(detail);
  return isOfDay && parseWaitText(detail) === undefined ? "daily_quota" : undefined;
}

function isBlocked(kinds: readonly string[], detail: string): boolean {
  return kinds.some((kind) => ERROR_TEXTS.blocked.test(kind)) || ERROR_TEXTS.blockedText.test(detail);
}

/** Statuses that say something of their own, even if a proxy answers with a page. */
const TELLING = new Set([401, 402, 403, 407, 408, 413, 429]);

function isNoApi(status: number | undefined, kinds: readonly string[], detail: string): boolean {
  if (status === 405) return true;
  const isTelling = status !== undefined && (status < 400 || status >= 500 || TELLING.has(status));
  if (kinds.includes(WEB_PAGE)) return !isTelling;
  // LM Studio reports an unknown path with 200.
  return (
    (status === 404 || status === undefined) && !/model/iu.test(detail) && ERROR_TEXTS.noRoute.test(detail)
  );
}

function kindInAnswer(kinds: readonly string[]): FailureKind {
  const known = BY_KIND.find(([pattern]) => kinds.some((kind) => pattern.test(kind)))?.[1];
  if (known !== undefined) return known;
  // Some servers send the status they would have answered with as the error's code.
  const status = kinds.map(Number).find((code) => code >= 400 && code < 600);
  return status === undefined ? "failed" : kindOfStatus(status);
}

/** Statuses for errors inside an answer, which have no status. */
const BY_KIND: readonly (readonly [RegExp, FailureKind])[] = [
  [/overloaded|slow_down|unavailable/iu, "overloaded"],
  [/rate_limit/iu, "rate_limited"],
  [/timeout/iu, "timeout"],
  [/authentication|permission|api_key/iu, "credentials"],
  [ERROR_TEXTS.blocked, "content_blocked"],
  [/invalid_request/iu, "invalid_request"],
];
