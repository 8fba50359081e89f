/** Replacements of parts of a text; parts must not overlap, except that a later one for the same start counts. */
export class Edits {
  readonly #byStart = new Map<number, { readonly end: number; readonly text: string }>();

  /** Replaces the characters from `start` up to `end`. */
  set(start: number, end: number, text: string): void {
    this.#byStart.set(start, { end, text });
  }

  has(start: number): boolean {
    return this.#byStart.has(start);
  }

  /** The text with all replacements. */
  applyTo(text: string): string {
    if (this.#byStart.size === 0) return text;
    const parts: string[] = [];
    let at = 0;
    for (const [start, { end, text: replacement }] of [...this.#byStart].sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      parts.push(text.slice(at, start), replacement);
      at = end;
    }
    parts.push(text.slice(at));
    return parts.join("");
  }
}
