import { hasSearchLength, SEARCH_LENGTH } from "#shared/contracts/search-length.ts";
import {
  QUALITY_RATINGS,
  REVIEW_STATUSES,
  type QualityRating,
  type ReviewStatus,
} from "#shared/contracts/review.ts";
import { SESSION_STATUSES, type SessionStatus } from "#shared/contracts/statuses.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { parseWholeNumber } from "../http/parse-parameters.ts";
import { validationError } from "../http/request-error.ts";
import { parseChoice, parseChoices, parseText, parseTime } from "../http/query-values.ts";

export const SORT_KEYS = [
  "created_at",
  "status",
  "alert_type",
  "author",
  "duration",
  "score",
  "quality_rating",
] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export const SORT_ORDERS = ["asc", "desc"] as const;
export const SCORING_FILTERS = ["scored", "not_scored", "scoring_in_progress", "scoring_failed"] as const;
/** How a session stands of which the status says no more than that it has not ended. */
export const SESSION_STATES = ["parked", "needs_approval", "failing"] as const;

/** Which sessions are listed; what is undefined does not matter. */
export interface SessionFilters {
  readonly status: readonly SessionStatus[] | undefined;
  readonly priority: readonly SessionLane[] | undefined;
  readonly alert_type: string | undefined;
  readonly chain_id: string | undefined;
  /** How those stand that have not ended. */
  readonly state: readonly (typeof SESSION_STATES)[number][] | undefined;
  readonly author: string | undefined;
  readonly assignee: string | undefined;
  readonly search: string | undefined;
  /** RFC 3339; sessions that were created then or later. */
  readonly start_date: string | undefined;
  /** RFC 3339; sessions that were created before. */
  readonly end_date: string | undefined;
  readonly scoring_status: (typeof SCORING_FILTERS)[number] | undefined;
  readonly review_status: readonly ReviewStatus[] | undefined;
  readonly quality_rating: QualityRating | undefined;
}

/** A request for a page of the list of sessions. */
export interface ListQuery {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: SortKey;
  readonly sortOrder: (typeof SORT_ORDERS)[number];
  readonly filters: SessionFilters;
}

const PAGE = { fallback: 1, min: 1, max: 1_000_000_000 };
const PAGE_SIZE = { fallback: 25, min: 1, max: 100 };

/** Reads the query of the list. Empty values count as absent. Throws RequestError 400 naming the field and what is allowed. */
export function parseListQuery(query: Readonly<Record<string, string | string[] | undefined>>): ListQuery {
  return {
    page: parseWholeNumber("page", query["page"], PAGE),
    pageSize: parseWholeNumber("page_size", query["page_size"], PAGE_SIZE),
    sortBy: parseChoice("sort_by", query["sort_by"], SORT_KEYS) ?? "created_at",
    sortOrder: parseChoice("sort_order", query["sort_order"], SORT_ORDERS) ?? "desc",
    filters: {
      status: parseChoices("status", query["status"], SESSION_STATUSES),
      priority: parseChoices("priority", query["priority"], SESSION_LANES),
      alert_type: parseText("alert_type", query["alert_type"]),
      chain_id: parseText("chain_id", query["chain_id"]),
      state: parseChoices("state", query["state"], SESSION_STATES),
      author: parseText("author", query["author"]),
      assignee: parseText("assignee", query["assignee"]),
      search: parseSearch(query["search"]),
      start_date: parseTime("start_date", query["start_date"]),
      end_date: parseTime("end_date", query["end_date"]),
      scoring_status: parseChoice("scoring_status", query["scoring_status"], SCORING_FILTERS),
      review_status: parseChoices("review_status", query["review_status"], REVIEW_STATUSES),
      quality_rating: parseChoice("quality_rating", query["quality_rating"], QUALITY_RATINGS),
    },
  };
}

function parseSearch(value: string | string[] | undefined): string | undefined {
  const text = parseText("search", value);
  if (text === undefined) return undefined;
  const { minBytes, maxCharacters } = SEARCH_LENGTH;
  if (hasSearchLength(text)) return text;
  throw validationError(
    "search",
    `must have at least ${minBytes} bytes in UTF-8 and at most ${maxCharacters} characters`,
  );
}
