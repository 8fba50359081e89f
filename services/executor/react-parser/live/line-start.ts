/**
 * The start of a line that may still become a header. Trailing whitespace is added to `text` only once another
 * character follows, because headers are scanned in trimmed lines.
 */
export class LineStart {
  #indent = "";
  #text = "";
  #spaces = "";

  /** The line so far, trimmed. */
  get text(): string {
    return this.#text;
  }

  /** The line's leading whitespace. */
  get indent(): string {
    return this.#indent;
  }

  /** The line so far, with all whitespace. */
  get raw(): string {
    return this.#indent + this.#text + this.#spaces;
  }

  /** Appends the next character; true if `text` changed. */
  add(char: string): boolean {
    if (char.trim() !== "") {
      this.#text += this.#spaces + char;
      this.#spaces = "";
      return true;
    }
    if (this.#text === "") this.#indent += char;
    else this.#spaces += char;
    return false;
  }
}
