/** At most this long after one round of chunks the next one starts. */
const MAX_REST_MS = 250;

/**
 * Decides when the chunks that came in are passed on. Idle, that is at the end of the same turn of the event loop,
 * so that what one read from the bus brought makes one message. Under load, passing a round on takes time, and as
 * much time is then left to everything else before the next: the more watchers, the fewer and larger the messages.
 * One pacer serves all sessions of a process, because they share its one CPU.
 */
export class ChunkPacer {
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();
  #planned = false;
  #restUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls `flush` once, soon; asking again before that changes nothing. It must not throw. */
  soon(flush: () => void): void {
    this.#waiting.add(flush);
    if (this.#planned) return;
    this.#planned = true;
    const rest = this.#restUntil - this.#now();
    if (rest <= 0) setImmediate(this.#run);
    else setTimeout(this.#run, rest);
  }

  readonly #run = (): void => {
    const startedAt = this.#now();
    const flushes = [...this.#waiting];
    this.#waiting.clear();
    this.#planned = false;
    for (const flush of flushes) flush();
    const endedAt = this.#now();
    this.#restUntil = endedAt + Math.min(endedAt - startedAt, MAX_REST_MS);
  };
}
