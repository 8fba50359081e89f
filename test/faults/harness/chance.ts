import { seededRandom } from "../../support/seeded-random.ts";

/** Chance that can be had again: the same seed gives the same sequence. */
export class Chance {
  readonly seed: number;
  /** From 0 to 1, 1 excluded. */
  readonly next: () => number;

  constructor(seed: number) {
    this.seed = seed;
    this.next = seededRandom(seed);
  }

  /** A number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Any of the items. Throws where there is none. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from: the list is empty");
    return item;
  }
}
