import { validationError } from "../http/request-error.ts";
import type { Query } from "../http/query-reader.ts";
import { parseChoice, parseText, parseTime } from "../http/query-values.ts";
import type { SessionFilters } from "../sessions/list-query.ts";

export const RANKINGS = ["cost", "tokens"] as const;
export const USAGE_GROUPS = ["alert_type", "chain", "model"] as const;

/** A request for the usage of some time. */
export interface UsageQuery {
  /** Milliseconds since 1970; for the answer, which has no smaller unit. */
  readonly window: { readonly start: number; readonly end: number };
  readonly filters: Pick<SessionFilters, "start_date" | "end_date" | "alert_type" | "chain_id">;
  readonly rankBy: (typeof RANKINGS)[number];
}

/** A request for the usage of each day. */
export interface DailyUsageQuery extends UsageQuery {
  readonly by: (typeof USAGE_GROUPS)[number];
}

const MAX_DAYS = 365;
const DAY_MS = 86_400_000;

/** Reads the query of the summary. Empty values count as absent. Throws RequestError 400 naming the field and what is allowed. */
export function parseUsageQuery(query: Query, isCostEstimated: boolean): UsageQuery {
  const start_date = requiredTime("start_date", query);
  const end_date = requiredTime("end_date", query);
  const window = { start: millisecondsOf(start_date), end: millisecondsOf(end_date) };
  if (window.start >= window.end) throw validationError("end_date", "must be later than start_date");
  if (window.end - window.start > MAX_DAYS * DAY_MS) {
    throw validationError("end_date", `must be at most ${MAX_DAYS} days later than start_date`);
  }
  return {
    window,
    filters: {
      start_date,
      end_date,
      alert_type: parseText("alert_type", query["alert_type"]),
      chain_id: parseText("chain_id", query["chain_id"]),
    },
    rankBy: parseRanking(query, isCostEstimated),
  };
}

/** Reads the query of the days. Throws RequestError 400 as for the summary. */
export function parseDailyUsageQuery(query: Query, isCostEstimated: boolean): DailyUsageQuery {
  const by = parseChoice("by", query["by"], USAGE_GROUPS) ?? "alert_type";
  return { ...parseUsageQuery(query, isCostEstimated), by };
}

function requiredTime(field: string, query: Query): string {
  const time = parseTime(field, query[field]);
  if (time !== undefined) return time;
  throw validationError(field, "is required, as a time in RFC 3339, such as 2026-01-31T12:00:00Z");
}

/** JavaScript knows only the capital letters of RFC 3339. */
function millisecondsOf(time: string): number {
  return Date.parse(time.toUpperCase());
}

function parseRanking(query: Query, isCostEstimated: boolean): UsageQuery["rankBy"] {
  const given = parseChoice("rank_by", query["rank_by"], RANKINGS);
  if (given === "cost" && !isCostEstimated) {
    throw validationError("rank_by", "cannot be cost while the estimation of costs is off", ["tokens"]);
  }
  return given ?? (isCostEstimated ? "cost" : "tokens");
}
