import { coerceError } from "#shared/errors.ts";

/** A number of slots, given in the order of the requests. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot; its disposal frees it. Throws the signal's reason when it aborts. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isFree = false;
    return {
      [Symbol.dispose]: () => {
        if (isFree) return;
        isFree = true;
        const [next] = this.#waiting;
        if (next === undefined) this.#free += 1;
        else next();
      },
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = () => {
        this.#waiting.delete(given);
        signal.removeEventListener("abort", aborted);
        resolve();
      };
      const aborted = () => {
        this.#waiting.delete(given);
        reject(coerceError(signal.reason));
      };
      this.#waiting.add(given);
      signal.addEventListener("abort", aborted, { once: true });
    });
  }
}
