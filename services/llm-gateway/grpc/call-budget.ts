/** The limits of a gateway process. */
export interface CallLimits {
  /** Calls that run at the same time, those that still send their request included. */
  readonly calls: number;
  /** Bytes of the requests of all running calls together. */
  readonly bytes: number;
}

/** The share that one running call takes of the limits. */
interface CallShare {
  /** Takes more bytes; false if there is no room for them, and then nothing is taken. */
  add(bytes: number): boolean;
  /** Gives everything back; further calls have no effect. */
  release(): void;
}

/** A larger request must leave room for smaller ones. */
const SMALL_BYTES = 1024 * 1024;
/** The part of the bytes that larger requests may take. */
const LARGE_PART = 2 / 3;

/**
 * Counts the running calls and the bytes of their requests. Requests over 1 MiB together take at most two thirds of the
 * bytes, so that a few long conversations do not keep out all others.
 */
export class CallBudget {
  readonly #limits: CallLimits;
  #calls = 0;
  #bytes = 0;
  #largeBytes = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Counts one more call; undefined if as many as allowed are running. */
  open(): CallShare | undefined {
    if (this.#calls >= this.#limits.calls) return undefined;
    this.#calls += 1;
    let own = 0;
    let isOpen = true;
    return {
      add: (bytes) => {
        if (!isOpen || !this.#hasRoom(own, bytes)) return false;
        this.#count(own, own + bytes);
        own += bytes;
        return true;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#calls -= 1;
        this.#count(own, 0);
      },
    };
  }

  #hasRoom(own: number, more: number): boolean {
    if (this.#bytes + more > this.#limits.bytes) return false;
    const large = this.#largeBytes + largeBytes(own + more) - largeBytes(own);
    return own + more <= SMALL_BYTES || large <= this.#limits.bytes * LARGE_PART;
  }

  #count(before: number, now: number): void {
    this.#bytes += now - before;
    this.#largeBytes += largeBytes(now) - largeBytes(before);
  }
}

/** A large request counts as a whole. */
function largeBytes(bytes: number): number {
  return bytes > SMALL_BYTES ? bytes : 0;
}
