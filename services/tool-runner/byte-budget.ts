/** A part of a budget that one call uses. Disposal gives it back. */
export interface ByteReservation extends Disposable {
  /** Takes this many bytes more, or none and returns false. */
  grow(bytes: number): boolean;
}

/** Limits the memory that all calls of a process use together for large results. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  reserve(): ByteReservation {
    let used = 0;
    return {
      grow: (bytes) => {
        if (bytes > this.#left) return false;
        this.#left -= bytes;
        used += bytes;
        return true;
      },
      [Symbol.dispose]: () => {
        this.#left += used;
        used = 0;
      },
    };
  }
}
