/** Where the rows of a list begin, in pixels from its top. */
export class RowTops {
  readonly #tops: Float64Array;

  constructor(heights: readonly number[]) {
    const tops = new Float64Array(heights.length + 1);
    let top = 0;
    for (const [index, height] of heights.entries()) {
      top += height;
      tops[index + 1] = top;
    }
    this.#tops = tops;
  }

  get count(): number {
    return this.#tops.length - 1;
  }

  /** The top of a row; behind the last one the height of the list. */
  topOf(index: number): number {
    return this.#tops[Math.min(index, this.count)] ?? 0;
  }

  /** The row at a height; the first one above the list, and `count` below it. */
  rowAt(y: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.topOf(middle + 1) > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
