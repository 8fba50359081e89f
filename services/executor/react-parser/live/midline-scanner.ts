import { endsSentence, isFiller, type MarkerName } from "../scan-header.ts";

/** A marker after the end of a sentence, with the emphasis opened before it. */
export interface MidlineMarker {
  readonly name: MarkerName;
  readonly openEmphasis: string;
}

const CLOSING_EMPHASIS = /^[*_`]{1,3}$/u;
const MARKER_END = /^[*_`]{0,3}:$/u;

/**
 * The incremental form of `findMidline`, for one line. Buffers what may still become a marker: the fillers after the
 * end of a sentence and the start of a name after those.
 */
export class MidlineScanner {
  readonly #names: readonly MarkerName[];
  #state: "text" | "boundary" | "name" = "text";
  #filler = "";
  /** The emphasis at the end of the filler, at most three characters. */
  #openEmphasis = "";
  #candidate = "";

  /** Scans for markers with these names. */
  constructor(names: readonly MarkerName[]) {
    this.#names = names;
  }

  /** Takes the next character; returns the text that cannot become a marker, or the marker the character completes. */
  next(char: string): string | MidlineMarker {
    if (this.#state === "name") return this.#nextInName(char);
    if (this.#state === "boundary") {
      if (isFiller(char)) {
        this.#filler += char;
        this.#openEmphasis = "*`".includes(char) ? (this.#openEmphasis + char).slice(-3) : "";
        return "";
      }
      if (this.#names.some((name) => name.startsWith(char))) {
        this.#state = "name";
        this.#candidate = char;
        return "";
      }
    }
    const text = this.end() + char;
    if (endsSentence(char)) this.#state = "boundary";
    return text;
  }

  /** Returns the buffered text at the end of the line: it is not a marker. */
  end(): string {
    const buffered = this.#filler + this.#candidate;
    this.#state = "text";
    this.#filler = "";
    this.#openEmphasis = "";
    this.#candidate = "";
    return buffered;
  }

  #nextInName(char: string): string | MidlineMarker {
    const candidate = this.#candidate + char;
    for (const name of this.#names) {
      if (name.startsWith(candidate)) {
        this.#candidate = candidate;
        return "";
      }
      if (!candidate.startsWith(name)) continue;
      const tail = candidate.slice(name.length);
      if (MARKER_END.test(tail)) return { name, openEmphasis: tail === ":" ? this.#openEmphasis : "" };
      if (CLOSING_EMPHASIS.test(tail)) {
        this.#candidate = candidate;
        return "";
      }
    }
    const buffered = this.end();
    const next = this.next(char);
    return typeof next === "string" ? buffered + next : next;
  }
}
