import { LRUCache } from "lru-cache";
import { PageEnds } from "./page-ends.ts";

/** How many of the first sessions of a list, `walked`, are hits of a search. */
export interface SearchSample {
  readonly hits: number;
  readonly walked: number;
}

const MAX_KEPT = 1_000;
const KEPT_MS = 30_000;
/** A request waits this long for the number of all hits. */
const WAIT_MS = 50;
/** Each holds a connection for up to some seconds. */
const MAX_COUNTING = 2;

/**
 * What is remembered of the lists of the last 30 s, by list (`listKey`): each page needs the same total, and each page of a
 * search the same sample. Finding them takes longer than reading a page. Only totals that are not exact anyway are remembered,
 * and those of searches for common terms.
 */
export class ListMemory {
  readonly pageEnds = new PageEnds();
  /** Lists with more than MAX_TOTAL sessions. */
  readonly capped = new LRUCache<string, true>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #samples = new LRUCache<string, SearchSample>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #totals = new LRUCache<string, Promise<number | undefined>>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #waitMs: number;
  #counting = 0;

  constructor(waitMs: number = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** The sample of the first `rows` sessions of a list; `read` reads it. That of a shorter list is read each time. */
  async sample(list: string, rows: number, read: () => Promise<SearchSample>): Promise<SearchSample> {
    const kept = this.#samples.get(list);
    if (kept !== undefined) return kept;
    const sample = await read();
    if (sample.walked >= rows) this.#samples.set(list, sample);
    return sample;
  }

  /** True if all hits of the list were counted, or are being counted. */
  isCounted(list: string): boolean {
    return this.#totals.has(list);
  }

  /**
   * The number of all hits of a list. Undefined if `count` takes longer than a request should; it goes on, and a later request
   * has its result. Undefined too if it failed, or if others are counting.
   */
  async total(list: string, count: () => Promise<number>): Promise<number | undefined> {
    const total = this.#totals.get(list) ?? this.#startCounting(list, count);
    if (total === undefined) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        resolve(undefined);
      }, this.#waitMs);
    });
    try {
      return await Promise.race([total, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #startCounting(list: string, count: () => Promise<number>): Promise<number | undefined> | undefined {
    if (this.#counting >= MAX_COUNTING) return undefined;
    this.#counting += 1;
    const total = count()
      // A count that takes too long for the database would do so again: the list says "at least" until it is forgotten.
      .catch(() => undefined)
      .finally(() => {
        this.#counting -= 1;
      });
    this.#totals.set(list, total);
    return total;
  }
}
