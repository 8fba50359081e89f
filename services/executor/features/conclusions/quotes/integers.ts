/** An array of integers that grows. */
export class Integers {
  #values = new Int32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** The last index whose value is not above `value`, in ascending values; -1 if there is none. */
  lastNotAbove(value: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
