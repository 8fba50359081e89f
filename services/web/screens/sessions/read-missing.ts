import { api } from "../../api/client.ts";
import type { SessionItem } from "./list-filters.ts";
import { hasEnded, type ListRow } from "./list-rows.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/**
 * The rows that a reading of the list did not bring, such as those that do not match its filters any more, and of which
 * something may still change. `settled` has the sessions that were read after their end.
 */
export function missingRows(
  rows: readonly ListRow[],
  read: readonly SessionItem[],
  settled: ReadonlySet<string>,
): readonly SessionItem[] {
  const known = new Set(read.map(({ id }) => id));
  return rows.map(({ item }) => item).filter(({ id }) => !known.has(id) && !settled.has(id));
}

/** Adds the sessions that were read after their end. */
export function settle(settled: Set<string>, read: readonly SessionItem[]): void {
  for (const item of read) if (hasEnded(item)) settled.add(item.id);
}

/** Reads sessions by when they were submitted, whatever has become of them. Throws ApiFailure, and the signal's reason. */
export async function readMissing(
  missing: readonly SessionItem[],
  signal: AbortSignal,
): Promise<readonly SessionItem[]> {
  if (missing.length === 0) return [];
  const times = missing.map(({ created_at }) => Date.parse(created_at));
  const wanted = new Set(missing.map(({ id }) => id));
  const found: SessionItem[] = [];
  for (let page = 1; page <= MAX_PAGES && found.length < wanted.size; page += 1) {
    const { sessions, pagination } = await api.call("GET /api/v1/sessions", {
      query: {
        page,
        page_size: PAGE_SIZE,
        // The times of the API are rounded to milliseconds, and the end is exclusive.
        start_date: new Date(Math.min(...times) - 1).toISOString(),
        end_date: new Date(Math.max(...times) + 2).toISOString(),
      },
      signal,
    });
    found.push(...sessions.filter(({ id }) => wanted.has(id)));
    if (page >= pagination.total_pages) break;
  }
  return found;
}
