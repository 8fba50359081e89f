/** The start of a header's value, from which the emphasis that closes the marker is taken: `**Action:** x`. */
export class OpenedValue {
  readonly #open: string;
  #seen = "";

  constructor(open: string) {
    this.#open = open;
  }

  /** Takes the next unit of the line; returns the value's first text once it has begun, else undefined. */
  next(unit: string): string | undefined {
    if (this.#seen === "" && unit.trim() === "") return undefined;
    this.#seen += unit;
    if (this.#open === this.#seen) return "";
    return this.#open.startsWith(this.#seen) ? undefined : this.#seen;
  }

  /** The line ends: what was held back is the value. */
  end(): string {
    return this.#seen;
  }
}
