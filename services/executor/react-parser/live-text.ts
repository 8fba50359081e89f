/**
 * A section's text as it grows, in the form in which the complete parse will have it: trimmed around, and no
 * whitespace at the ends of its lines. Whitespace is held back until something follows it.
 */
export class LiveText {
  /** Whitespace characters taken off the start of each line. */
  readonly #indent: number;
  #breaks = 0;
  #spaces = "";
  #toDrop: number;
  #started = false;
  #out = "";

  constructor(indent: number) {
    this.#indent = indent;
    this.#toDrop = Infinity;
  }

  /** True once anything but whitespace was written. */
  get started(): boolean {
    return this.#started;
  }

  /** Takes text of the current line. */
  write(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#writeUnit(text.charAt(at));
  }

  /** Ends the current line. */
  newline(): void {
    this.#spaces = "";
    if (!this.#started) return;
    this.#breaks += 1;
    this.#toDrop = this.#indent;
  }

  /** What was released since the last call; half a surrogate pair waits for its other half unless it is `last`. */
  take(last: boolean): string {
    const out = this.#out;
    const kept = last || !endsInsidePair(out) ? out.length : out.length - 1;
    this.#out = out.slice(kept);
    return out.slice(0, kept);
  }

  #writeUnit(unit: string): void {
    if (unit.trim() === "") {
      if (this.#toDrop > 0) this.#toDrop -= 1;
      else this.#spaces += unit;
      return;
    }
    if (this.#breaks > 0) this.#out += "\n".repeat(this.#breaks);
    this.#out += this.#spaces + unit;
    this.#breaks = 0;
    this.#spaces = "";
    this.#toDrop = 0;
    this.#started = true;
  }
}

function endsInsidePair(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}
