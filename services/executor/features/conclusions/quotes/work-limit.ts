/** Most comparisons of words for one conclusion. They are counted and not timed, so that a repeated check gives the same. */
export const MAX_COMPARISONS = 50_000_000;

/** Thrown by `WorkLimit.spend` when too little is left. */
export class OutOfWork extends Error {}

/** Counts the work of a conclusion's check. */
export class WorkLimit {
  #left: number;

  constructor(comparisons: number = MAX_COMPARISONS) {
    this.#left = comparisons;
  }

  /** Throws OutOfWork once the limit is reached, then each time. */
  spend(comparisons: number): void {
    this.#left -= comparisons;
    if (this.#left < 0) throw new OutOfWork("the limit of work is reached");
  }
}
