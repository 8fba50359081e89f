import { untilAborted } from "#shared/until-aborted.ts";

/** The room that one message has taken. Disposal gives it back. */
export interface HeldBytes extends Disposable {
  /** Takes this many bytes more, once there is room. Throws the signal's reason once it aborts. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Bounds the bytes of large messages that all connections of a process have in memory: who finds no room waits, and so does the
 * server that writes. The message that has taken bytes for the longest time waits for none, so that one always gets on.
 */
export class ByteRoom {
  readonly #holders = new Set<HeldBytes>();
  #left: number;
  #changed = Promise.withResolvers<void>();

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** The room that is left; negative if one message alone is larger. */
  get left(): number {
    return this.#left;
  }

  enter(): HeldBytes {
    let used = 0;
    const held: HeldBytes = {
      take: async (bytes, signal = new AbortController().signal) => {
        this.#holders.add(held);
        while (bytes > this.#left && this.#oldest() !== held) {
          await untilAborted(this.#changed.promise, signal);
        }
        this.#left -= bytes;
        used += bytes;
      },
      [Symbol.dispose]: () => {
        this.#left += used;
        used = 0;
        if (!this.#holders.delete(held)) return;
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
      },
    };
    return held;
  }

  #oldest(): HeldBytes | undefined {
    const [oldest] = this.#holders;
    return oldest;
  }
}
