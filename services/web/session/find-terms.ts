/** The shortest text that is looked for, in UTF-16 code units: so many are compared by a hash that rolls over a text. */
export const MIN_TERM = 6;

/** So many places that only begin like a term are compared with it: texts may be written to make that long. */
const MAX_COMPARED = 250_000;

const BASE = 31;
/** By what the unit that leaves the hash counts in it. */
const LEAVES = BASE ** MIN_TERM;
const SLOTS = 1 << 16;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * Finds many terms in many texts: each text is read once, however many terms there are. A term is found where it stands by itself, not
 * within a word.
 */
export class TermFinder {
  /** By the first units of the terms, longest first. */
  readonly #terms = new Map<string, readonly string[]>();
  readonly #begins = new Uint8Array(SLOTS);
  #compared = 0;

  /** Terms that are shorter than `MIN_TERM` are never found. */
  constructor(terms: Iterable<string>) {
    for (const term of [...new Set(terms)].toSorted((a, b) => b.length - a.length)) {
      if (term.length < MIN_TERM) continue;
      const start = term.slice(0, MIN_TERM);
      this.#terms.set(start, [...(this.#terms.get(start) ?? []), term]);
      let hash = 0;
      for (let at = 0; at < MIN_TERM; at += 1) hash = rolled(hash, start.charCodeAt(at));
      this.#begins[slotOf(hash)] = 1;
    }
  }

  /** True once more was compared than may be: what was found is not all then. */
  get isExhausted(): boolean {
    return this.#compared > MAX_COMPARED;
  }

  /** Calls `found` with each place of a term, in order; at one place with the longest first. */
  find(text: string, found: (at: number, term: string) => void): void {
    if (this.#terms.size === 0) return;
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      hash = rolled(hash, text.charCodeAt(end));
      const at = end + 1 - MIN_TERM;
      if (at > 0) hash = (hash - Math.imul(text.charCodeAt(at - 1), LEAVES)) | 0;
      if (at < 0 || this.#begins[slotOf(hash)] === 0) continue;
      for (const term of this.#terms.get(text.slice(at, end + 1)) ?? []) {
        this.#compared += 1;
        if (this.isExhausted) return;
        if (text.startsWith(term, at) && standsAlone(text, at, at + term.length)) found(at, term);
      }
    }
  }
}

function rolled(hash: number, unit: number): number {
  return (Math.imul(hash, BASE) + unit) | 0;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

/**
 * True if neither a word goes on over an end of this part of a text, nor, where the part is one name, the name: `app.log` is no part
 * of `my-app.log.1`. A path may begin before it.
 */
export function standsAlone(text: string, from: number, to: number): boolean {
  const goesOn = (at: number) => WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at));
  if (goesOn(from) || goesOn(to)) return false;
  if (/\s/u.test(text.slice(from, to))) return true;
  return !/[-.]/u.test(text.charAt(from - 1)) && !/^(?:[-/]|\.[\p{L}\p{N}_])/u.test(text.slice(to, to + 3));
}
