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
