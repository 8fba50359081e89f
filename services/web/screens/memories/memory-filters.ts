import type { ApiRequest } from "#shared/client/api-types.ts";
import {
  MEMORY_CATEGORIES,
  MEMORY_VALENCES,
  type MemoryCategory,
  type MemoryValence,
} from "#shared/contracts/memory.ts";

type MemoryPageQuery = NonNullable<ApiRequest<"GET /api/v1/memories">["query"]>;

const DEPRECATED = ["true", "false"] as const;

/** Which memories are listed, as the address says it; an empty text is no filter. */
export interface MemoryFilters {
  readonly category: MemoryCategory | "";
  readonly valence: MemoryValence | "";
  /** `true` for those that no agent gets any more, `false` for the others. */
  readonly deprecated: (typeof DEPRECATED)[number] | "";
  /** The session that they were learned from. */
  readonly source: string;
  /** From 1. */
  readonly page: number;
}

const PAGE_SIZE = 20;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Reads the filters from the query of the address; what it does not know counts as absent. */
export function memoryFiltersOf(query: Readonly<Record<string, string>>): MemoryFilters {
  const { source = "", page = "" } = query;
  return {
    category: MEMORY_CATEGORIES.find((known) => known === query["category"]) ?? "",
    valence: MEMORY_VALENCES.find((known) => known === query["valence"]) ?? "",
    deprecated: DEPRECATED.find((known) => known === query["deprecated"]) ?? "",
    source: UUID.test(source) ? source : "",
    page: /^[1-9]\d{0,5}$/u.test(page) ? Number(page) : 1,
  };
}

/** True if anything narrows the list. */
export function hasMemoryFilters({ category, valence, deprecated, source }: MemoryFilters): boolean {
  return [category, valence, deprecated, source].some((value) => value !== "");
}

/** The API's query for them. */
export function memoryQueryOf({
  category,
  valence,
  deprecated,
  source,
  page,
}: MemoryFilters): MemoryPageQuery {
  return {
    page,
    page_size: PAGE_SIZE,
    ...(category === "" ? {} : { category }),
    ...(valence === "" ? {} : { valence }),
    ...(deprecated === "" ? {} : { deprecated }),
    ...(source === "" ? {} : { source_session_id: source }),
  };
}
