/** A load of sessions that all wait from the beginning. */
export interface SimulatedLoad {
  readonly sessions: number;
  /** Sessions that run at a time. */
  readonly slots: number;
  /** Threads that work on all of them, in the order in which they come. */
  readonly servers: number;
  /** Seconds of one thread that a session takes: a third before, between and after its two calls of the model. */
  readonly workSeconds: number;
  /** Seconds that both calls take together; they hold a slot and no thread. */
  readonly modelSeconds: number;
}

/** Simulates a load event by event, and returns how many sessions end in a second. */
export function simulateLoad({ sessions, slots, servers, workSeconds, modelSeconds }: SimulatedLoad): number {
  const events = new EventQueue();
  const waiting: (() => void)[] = [];
  let [now, free, first, started] = [0, servers, 0, 0];
  const serve = () => {
    while (free > 0 && first < waiting.length) {
      const next = waiting[first++];
      free -= 1;
      events.add(now + workSeconds / 3, () => {
        free += 1;
        next?.();
      });
    }
  };
  const work = (next: () => void) => {
    waiting.push(next);
    serve();
  };
  const wait = (next: () => void) => {
    events.add(now + modelSeconds / 2, next);
  };
  const start = () => {
    if (started === sessions) return;
    started += 1;
    work(() => wait(() => work(() => wait(() => work(start)))));
  };
  for (let slot = 0; slot < slots; slot++) start();
  for (let event = events.take(); event !== undefined; event = events.take()) {
    now = event.at;
    event.run();
    serve();
  }
  return now === 0 ? 0 : sessions / now;
}

interface TimedEvent {
  readonly at: number;
  readonly run: () => void;
}

/** Events by their time: a heap, in which none is before the one at half its index. */
class EventQueue {
  readonly #heap: TimedEvent[] = [];

  add(at: number, run: () => void): void {
    const heap = this.#heap;
    let index = heap.push({ at, run }) - 1;
    for (let up = (index - 1) >> 1; index > 0 && this.#isBefore(index, up); up = (index - 1) >> 1) {
      this.#swap(index, up);
      index = up;
    }
  }

  /** The next event; undefined if there is none. */
  take(): TimedEvent | undefined {
    const heap = this.#heap;
    const last = heap.length - 1;
    if (last > 0) this.#swap(0, last);
    const next = heap.pop();
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      const least = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(least, index)) return next;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    return first !== undefined && second !== undefined && first.at < second.at;
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (first === undefined || second === undefined) return;
    this.#heap[one] = second;
    this.#heap[other] = first;
  }
}
