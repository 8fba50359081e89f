/** The longest pause between two rounds. */
const MAX_PAUSE_MS = 250;

/**
 * Schedules when buffered chunks are passed on. When idle, a flush runs at the end of the current turn of the event
 * loop, so that chunks read from the bus together become one message. Under load a round takes time, and the next
 * round starts only after a pause of the same length, which leaves the CPU to other work: with more watchers,
 * messages become fewer and larger. One pacer serves all sessions of a process because they share one CPU.
 */
export class ChunkPacer {
  readonly #now: () => number;
  readonly #later: (round: () => void, pauseMs: number) => void;
  readonly #flushes = new Set<() => void>();
  #scheduled = false;
  #pausedUntil = 0;

  /** `now` is a clock in milliseconds, `later` calls a function after as many. */
  constructor({
    now = () => performance.now(),
    later = setTimeout,
  }: {
    readonly now?: () => number;
    readonly later?: (round: () => void, pauseMs: number) => void;
  } = {}) {
    this.#now = now;
    this.#later = later;
  }

  /** Calls `flush` in the next round, once however often it is scheduled before. `flush` must not throw. */
  schedule(flush: () => void): void {
    this.#flushes.add(flush);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const pauseMs = this.#pausedUntil - this.#now();
    if (pauseMs <= 0) setImmediate(this.#runRound);
    else this.#later(this.#runRound, pauseMs);
  }

  readonly #runRound = (): void => {
    const startedAt = this.#now();
    const flushes = [...this.#flushes];
    this.#flushes.clear();
    this.#scheduled = false;
    for (const flush of flushes) flush();
    const endedAt = this.#now();
    this.#pausedUntil = endedAt + Math.min(endedAt - startedAt, MAX_PAUSE_MS);
  };
}
