import type { PageEnd } from "./session-order.ts";

const MAX_LISTS = 1_000;
const MAX_PAGES = 400;
const KEPT_MS = 60_000;

interface KnownList {
  /** By the number of the page. */
  readonly ends: Map<number, PageEnd & { readonly at: number }>;
}

/**
 * Where the pages of lists ended that were read within the last minute, by caller and query: the next page begins behind the
 * last row of the one before, although sessions were added meanwhile, and needs no rows before it. Only a help: without it a
 * page begins by its number.
 */
export class PageEnds {
  readonly #lists = new Map<string, KnownList>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The last page before `page` of which the end is known. */
  before(list: string, page: number): { readonly page: number; readonly end: PageEnd } | undefined {
    const { ends } = this.#lists.get(list) ?? {};
    if (ends === undefined) return undefined;
    let found: { page: number; end: PageEnd } | undefined;
    for (const [known, end] of ends) {
      const isFresh = this.#now() - end.at < KEPT_MS;
      if (isFresh && known < page && known > (found?.page ?? 0)) found = { page: known, end };
    }
    return found;
  }

  /** Notes where a page ended; those behind it may have moved. */
  note(list: string, page: number, end: PageEnd): void {
    const known: KnownList = this.#lists.get(list) ?? { ends: new Map() };
    // The lists that were used last are the last ones.
    this.#lists.delete(list);
    this.#lists.set(list, known);
    for (const later of known.ends.keys()) if (later > page) known.ends.delete(later);
    known.ends.set(page, { ...end, at: this.#now() });
    const [firstPage] = known.ends.keys();
    if (known.ends.size > MAX_PAGES && firstPage !== undefined) known.ends.delete(firstPage);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}
