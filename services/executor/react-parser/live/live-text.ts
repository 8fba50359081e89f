/**
 * A section's text while it is generated, normalised as `parseReact` returns it: trimmed, and without whitespace at the
 * ends of lines. Whitespace is buffered until another character follows. A character is one UTF-16 code unit.
 */
export class LiveText {
  /** How many whitespace characters are removed from the start of each line after the first. */
  readonly #indent: number;
  #newlines = 0;
  #spaces = "";
  #indentLeft: number;
  #started = false;
  #released = "";

  constructor(indent: number) {
    this.#indent = indent;
    this.#indentLeft = Infinity;
  }

  /** True once a character other than whitespace was written. */
  get started(): boolean {
    return this.#started;
  }

  /** Appends text to the current line. */
  write(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#writeChar(text.charAt(at));
  }

  /** Ends the current line. */
  newline(): void {
    this.#spaces = "";
    if (!this.#started) return;
    this.#newlines += 1;
    this.#indentLeft = this.#indent;
  }

  /** Removes and returns the text released since the last call. Half a surrogate pair is buffered unless `last`. */
  take(last: boolean): string {
    const released = this.#released;
    const end = last || !endsInsidePair(released) ? released.length : released.length - 1;
    this.#released = released.slice(end);
    return released.slice(0, end);
  }

  #writeChar(char: string): void {
    if (char.trim() === "") {
      if (this.#indentLeft > 0) this.#indentLeft -= 1;
      else this.#spaces += char;
      return;
    }
    if (this.#newlines > 0) this.#released += "\n".repeat(this.#newlines);
    this.#released += this.#spaces + char;
    this.#newlines = 0;
    this.#spaces = "";
    this.#indentLeft = 0;
    this.#started = true;
  }
}

function endsInsidePair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
