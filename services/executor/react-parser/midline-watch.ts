import { endsSentence, isBoundaryFiller } from "./find-midline.ts";
import type { MarkerName } from "./scan-header.ts";

/** A marker behind the end of a sentence, with the emphasis it opened. */
export interface WatchedMarker {
  readonly name: MarkerName;
  readonly open: string;
}

const CLOSING_EMPHASIS = /^[*_`]{1,3}$/u;
const MARKER_END = /^[*_`]{0,3}:$/u;

/**
 * Finds what `findMidline` finds, unit by unit, holding back what may still become a marker: the fillers behind the
 * end of a sentence and the start of a name behind those.
 */
export class MidlineWatch {
  readonly #names: readonly MarkerName[];
  #state: "text" | "boundary" | "name" = "text";
  #filler = "";
  /** The end of the filler, as far as it can be emphasis. */
  #opened = "";
  #candidate = "";

  /** Watches one line for these names. */
  constructor(names: readonly MarkerName[]) {
    this.#names = names;
  }

  /** Takes the next unit; returns the text that is certain, or the marker that the unit completes. */
  next(unit: string): string | WatchedMarker {
    if (this.#state === "name") return this.#nextInName(unit);
    if (this.#state === "boundary") {
      if (isBoundaryFiller(unit)) {
        this.#filler += unit;
        this.#opened = "*`".includes(unit) ? (this.#opened + unit).slice(-3) : "";
        return "";
      }
      if (this.#names.some((name) => name.startsWith(unit))) {
        this.#state = "name";
        this.#candidate = unit;
        return "";
      }
    }
    const certain = this.end() + unit;
    if (endsSentence(unit)) this.#state = "boundary";
    return certain;
  }

  /** The line ends: what was held back is text. */
  end(): string {
    const held = this.#filler + this.#candidate;
    this.#state = "text";
    this.#filler = "";
    this.#opened = "";
    this.#candidate = "";
    return held;
  }

  #nextInName(unit: string): string | WatchedMarker {
    const candidate = this.#candidate + unit;
    for (const name of this.#names) {
      if (name.startsWith(candidate)) {
        this.#candidate = candidate;
        return "";
      }
      if (!candidate.startsWith(name)) continue;
      const tail = candidate.slice(name.length);
      if (MARKER_END.test(tail)) return { name, open: tail === ":" ? this.#opened : "" };
      if (CLOSING_EMPHASIS.test(tail)) {
        this.#candidate = candidate;
        return "";
      }
    }
    const held = this.end();
    const next = this.next(unit);
    return typeof next === "string" ? held + next : next;
  }
}
