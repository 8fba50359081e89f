import { seededRandom } from "../../support/seeded-random.ts";

/** Random choices of a scenario: the same seed gives the same sequence. */
export class ScenarioRandom {
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

  /** A random item. Throws if the list is empty. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from: the list is empty");
    return item;
  }
}
