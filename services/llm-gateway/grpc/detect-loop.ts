/** A unit that repeats at the end of a text. */
export interface Loop {
  readonly unit: string;
  /** The number of times that it stands there, at least. */
  readonly times: number;
  /** Length in code units of the text before its first repetition. */
  readonly keep: number;
}

/** The interval at which the end of a text is searched, in code units of new text. */
const EVERY = 2_000;
const WINDOW = 6_000;
const MAX_UNIT = 500;
const MIN_TIMES = 5;
/**
 * The length of the end that must repeat. Real answers quote identical log lines, and long runs of one or two signs: rules and
 * separators of tables, zeros in a dump.
 */
const MIN_LENGTH = 1_500;
const MIN_FILLER_LENGTH = 4_000;
/** Letters that are no hexadecimal digits. */
const LETTER = /[g-z]|[^\0-\x7f]/iu;

/** Watches one growing text for a unit that repeats at its end until now. */
export class LoopDetector {
  #window = "";
  #length = 0;
  #unsearched = 0;

  /** Takes more text, which is searched every 2,000 code units; returns the first loop. */
  add(delta: string): Loop | undefined {
    let rest = delta;
    while (rest !== "") {
      const piece = rest.slice(0, EVERY - this.#unsearched);
      rest = rest.slice(piece.length);
      this.#window = (this.#window + piece).slice(-WINDOW);
      this.#length += piece.length;
      this.#unsearched += piece.length;
      if (this.#unsearched < EVERY) return undefined;
      this.#unsearched = 0;
      const loop = this.#search();
      if (loop !== undefined) return loop;
    }
    return undefined;
  }

  #search(): Loop | undefined {
    const text = this.#window;
    for (let period = 1; period <= MAX_UNIT; period += 1) {
      const repeated = repeatedLength(text, period);
      const times = Math.floor(repeated / period) + 1;
      if (times < MIN_TIMES || repeated + period < MIN_LENGTH) continue;
      const start = text.length - repeated - period;
      const unit = text.slice(start, start + period);
      if (isFiller(unit) && repeated + period < MIN_FILLER_LENGTH) return undefined;
      return { unit, times, keep: this.#length - repeated };
    }
    return undefined;
  }
}

/** The number of code units at the end of `text` equal those `period` before them. */
function repeatedLength(text: string, period: number): number {
  let at = text.length - 1;
  while (at >= period && text.charCodeAt(at) === text.charCodeAt(at - period)) at -= 1;
  return text.length - 1 - at;
}

/** True for one or two different signs or digits, blanks aside. */
function isFiller(unit: string): boolean {
  return !LETTER.test(unit) && new Set(unit.replaceAll(/\s/gu, "")).size <= 2;
}
