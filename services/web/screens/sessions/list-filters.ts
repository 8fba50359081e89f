import type { ApiRequest, ApiResponse } from "#shared/client/api-types.ts";
import type { SessionStatus } from "#shared/contracts/statuses.ts";

export type SessionItem = ApiResponse<"GET /api/v1/sessions">["sessions"][number];
type ListPageQuery = NonNullable<ApiRequest<"GET /api/v1/sessions">["query"]>;

/** What the list shows, as the address says it; an empty text is no filter. */
export interface ListFilters {
  readonly search: string;
  /** One status, `running` for all that have not ended, or `attention` for those that need a person. */
  readonly status: string;
  readonly type: string;
  readonly chain: string;
  readonly author: string;
  /** A name of TIME_RANGES. */
  readonly time: string;
  /** A review status. */
  readonly review: string;
  /** Whether they are scored, as the API names it. */
  readonly score: (typeof SCORE_FILTERS)[number] | "";
  /** A name of SORTINGS; an empty text for the newest first. */
  readonly sort: (typeof SORTINGS)[number] | "";
  readonly page: number;
}

const SCORE_FILTERS = ["scored", "not_scored", "scoring_in_progress", "scoring_failed"] as const;
/** By score, the highest or the lowest first. */
const SORTINGS = ["best", "worst"] as const;
const PAGE_SIZE = 50;
export const MIN_SEARCH = 3;
export const RUNNING: readonly SessionStatus[] = ["pending", "in_progress", "cancelling"];
export const ENDED: readonly SessionStatus[] = ["completed", "failed", "cancelled", "timed_out"];

/** What the API calls those that need a person. */
export const NEEDS_PERSON = { state: "needs_approval,failing" };
/** The status of those. */
export const ATTENTION = "attention";

const HOUR = 3_600_000;
/** From six in the evening of the day before, by the reader's clock. */
export const LAST_NIGHT = "night";
const EVENING_HOUR = 18;
/** How far back each range reaches. */
export const TIME_RANGES: Readonly<Record<string, number>> = {
  [LAST_NIGHT]: 0,
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 168 * HOUR,
  "30d": 720 * HOUR,
};

const TEXT_FILTERS = [
  "search",
  "status",
  "type",
  "chain",
  "author",
  "time",
  "review",
  "score",
  "sort",
] as const;

/** Reads the filters from the query of the address; what it does not know counts as absent. */
export function filtersOf(query: Readonly<Record<string, string>>): ListFilters {
  const text = (name: string) => query[name] ?? "";
  const time = text("time");
  return {
    search: text("search"),
    status: [...RUNNING, ...ENDED, "running", ATTENTION].some((known) => known === text("status"))
      ? text("status")
      : "",
    type: text("type"),
    chain: text("chain"),
    author: text("author"),
    time: Object.hasOwn(TIME_RANGES, time) ? time : "",
    review: text("review"),
    score: SCORE_FILTERS.find((known) => known === text("score")) ?? "",
    sort: SORTINGS.find((known) => known === text("sort")) ?? "",
    page: /^[1-9]\d{0,5}$/u.test(text("page")) ? Number(text("page")) : 1,
  };
}

/** The address of a list with these filters. */
export function addressOf(filters: ListFilters): string {
  const query = new URLSearchParams();
  for (const name of TEXT_FILTERS) if (filters[name] !== "") query.set(name, filters[name]);
  if (filters.page > 1) query.set("page", String(filters.page));
  return query.size === 0 ? "/" : `/?${query.toString()}`;
}

/** A filter with a few values. */
export type FilterName = Exclude<keyof ListFilters, "search" | "page">;

/** What the filters but the search are set to, by their names; an order is one, too. */
export function setFilters(filters: ListFilters): readonly FilterName[] {
  return TEXT_FILTERS.flatMap((name) => (name === "search" || filters[name] === "" ? [] : [name]));
}

/** True if anything narrows the list. */
export function hasFilters(filters: ListFilters): boolean {
  return TEXT_FILTERS.some((name) => filters[name] !== "");
}

/** The statuses that each of the two parts of the list has to show; an empty part is not asked for. */
export function partsOf({ status, review, score }: ListFilters): {
  readonly running: readonly SessionStatus[];
  readonly ended: readonly SessionStatus[];
} {
  const named = (statuses: readonly SessionStatus[]) => statuses.filter((known) => known === status);
  if (status === "running" || status === ATTENTION) return { running: RUNNING, ended: [] };
  // Only sessions that ended have a review and a score.
  const running = review === "" && score === "" ? RUNNING : [];
  if (status === "") return { running, ended: ENDED };
  return { running: named(running), ended: named(ENDED) };
}

/** The API's query for one part of the list. */
export function queryOf(
  { search, status, type, chain, author, time, review, score, sort, page }: ListFilters,
  statuses: readonly SessionStatus[],
  now: number,
): ListPageQuery {
  const since = startOf(time, now);
  return {
    status: statuses.join(","),
    page,
    page_size: PAGE_SIZE,
    ...(search.trim().length < MIN_SEARCH ? {} : { search: search.trim() }),
    ...(status === ATTENTION ? NEEDS_PERSON : {}),
    ...(type === "" ? {} : { alert_type: type }),
    ...(chain === "" ? {} : { chain_id: chain }),
    ...(author === "" ? {} : { author }),
    ...(review === "" ? {} : { review_status: review }),
    ...(score === "" ? {} : { scoring_status: score }),
    ...(sort === "" ? {} : { sort_by: "score", sort_order: sort === "best" ? "desc" : "asc" }),
    ...(since === undefined ? {} : { start_date: since.toISOString() }),
  };
}

/** Where a range begins, in whole minutes, so that a repeated request is the same one; undefined without a range. */
export function startOf(time: string, now: number): Date | undefined {
  const reach = TIME_RANGES[time];
  if (reach === undefined) return undefined;
  if (time !== LAST_NIGHT) return new Date(Math.floor((now - reach) / 60_000) * 60_000);
  const start = new Date(now);
  start.setDate(start.getDate() - 1);
  start.setHours(EVENING_HOUR, 0, 0, 0);
  return start;
}
