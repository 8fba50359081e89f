/** The start of a header's value. Removes the emphasis that closes the marker, as in `**Action:** x`. */
export class ValueStart {
  readonly #openEmphasis: string;
  #buffered = "";

  constructor(openEmphasis: string) {
    this.#openEmphasis = openEmphasis;
  }

  /** Takes the next character of the line; returns the first text of the value once it has begun, else undefined. */
  next(char: string): string | undefined {
    if (this.#buffered === "" && char.trim() === "") return undefined;
    this.#buffered += char;
    if (this.#openEmphasis === this.#buffered) return "";
    return this.#openEmphasis.startsWith(this.#buffered) ? undefined : this.#buffered;
  }

  /** Returns the buffered text at the end of the line: it is the value. */
  end(): string {
    return this.#buffered;
  }
}
