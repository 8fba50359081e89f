import { lineParts } from "../../session/line-parts.ts";
import type { TextTarget } from "../../session/live-texts.ts";

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
