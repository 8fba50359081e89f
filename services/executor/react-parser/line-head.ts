/**
 * The start of a line as long as it may still become a header. Whitespace behind it counts only once something
 * follows, because a line is read without the whitespace at its ends.
 */
export class LineHead {
  #indent = "";
  #text = "";
  #spaces = "";

  /** What of the line counts so far, without the indentation. */
  get text(): string {
    return this.#text;
  }

  /** The line's leading whitespace. */
  get indent(): string {
    return this.#indent;
  }

  /** Everything of the line so far. */
  get raw(): string {
    return this.#indent + this.#text + this.#spaces;
  }

  /** Takes the next unit; true if `text` changed. */
  add(unit: string): boolean {
    if (unit.trim() !== "") {
      this.#text += this.#spaces + unit;
      this.#spaces = "";
      return true;
    }
    if (this.#text === "") this.#indent += unit;
    else this.#spaces += unit;
    return false;
  }
}
