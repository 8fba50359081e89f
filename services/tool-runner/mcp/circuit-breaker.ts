import { jitter } from "#shared/pause.ts";

const FAILURES_TO_OPEN = 3;
const FIRST_OPEN_MS = 5_000;
const LONGEST_OPEN_MS = 40_000;

/** Stops attempts to connect to a server after several failures in a row; from time to time one attempt may try again. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #retryAt = 0;
  #isTrying = false;

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if an attempt may begin; its outcome must be reported. */
  mayTry(): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true;
    if (this.#isTrying || this.#now() < this.#retryAt) return false;
    this.#isTrying = true;
    return true;
  }

  /** True if attempts are held back after failures. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES_TO_OPEN;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isTrying = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#isTrying = false;
    const doublings = Math.max(0, this.#failures - FAILURES_TO_OPEN);
    this.#retryAt = this.#now() + jitter(Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** doublings));
  }

  /** The attempt ended for a reason of its own, which says nothing about the server. */
  abandoned(): void {
    this.#isTrying = false;
  }
}
