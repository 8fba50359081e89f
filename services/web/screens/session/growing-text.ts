import type { TextTarget } from "../../session/live-texts.ts";

/** Behind a longer part a new one begins with the next line. */
export const PART_UNITS = 2_000;

/**
 * A text that grows for long, in an element, as blocks of lines: the browser lays out the last block again with each
 * addition, and no other. As one block, a text of 100,000 characters would take most of a frame.
 */
export class GrowingText implements TextTarget {
  readonly #place: HTMLElement;
  #last: Text;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#place.replaceChildren();
    this.#last = this.#begin();
  }

  get data(): string {
    return this.#place.textContent ?? "";
  }

  set data(text: string) {
    this.#place.replaceChildren();
    this.#last = this.#begin();
    this.appendData(text);
  }

  appendData(text: string): void {
    for (const [index, piece] of lineParts(this.#last.length, text).entries()) {
      if (index > 0) this.#last = this.#begin();
      this.#last.appendData(piece);
    }
  }

  #begin(): Text {
    const text = document.createTextNode("");
    const part = document.createElement("span");
    part.append(text);
    this.#place.append(part);
    return text;
  }
}

/**
 * Divides text that is added to a part of `held` code units: the first piece continues that part, each other one is the
 * beginning of a new part. Parts end with a line break.
 */
export function lineParts(held: number, text: string): readonly string[] {
  const pieces: string[] = [];
  let [start, length] = [0, held];
  for (;;) {
    const lineBreak = text.indexOf("\n", start + Math.max(0, PART_UNITS - length));
    if (lineBreak === -1) break;
    pieces.push(text.slice(start, lineBreak + 1));
    [start, length] = [lineBreak + 1, 0];
  }
  return [...pieces, text.slice(start)];
}
