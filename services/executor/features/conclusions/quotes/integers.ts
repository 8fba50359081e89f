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

  lastNotAbove(value: number): number {
    return lastNotAbove(this.#values, this.length, value);
  }
}

/** The last index whose value is not above `value`, in the first `length` values, which ascend; -1 if there is none. */
export function lastNotAbove(values: Int32Array, length: number, value: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
