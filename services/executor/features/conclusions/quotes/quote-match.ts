import {
  MASKED_WITHOUT_DIGITS,
  OTHER_CASE,
  ROUNDED,
  UNMASKED,
  WRONG_CASE,
  compareWords,
} from "./compare-words.ts";
import { differsBefore } from "./operators.ts";
import type { Likeness, QuoteWord } from "./compare-words.ts";
import type { WordList } from "./word-list.ts";

/** A place of a source that a quote is compared with, as words; `to` is excluded. */
export interface QuoteMatch {
  readonly from: number;
  readonly to: number;
  /** How it differs although it is right. */
  readonly notes: readonly string[];
  /** The rule that refuses it; null if the quote is right. */
  readonly refused: "case" | "ellipsis" | "masked" | "negation" | "words" | null;
}

/** Counts how the words of a quote are like those of a source. */
export class Differences {
  #otherCase = 0;
  #rounded = 0;
  #masked = 0;
  #wrongCase = 0;
  #unmasked = 0;
  #hasOtherMarks = false;

  add(likeness: Likeness): void {
    if (likeness === OTHER_CASE) this.#otherCase += 1;
    if (likeness === ROUNDED) this.#rounded += 1;
    if (likeness === MASKED_WITHOUT_DIGITS) this.#masked += 1;
    if (likeness === WRONG_CASE) this.#wrongCase += 1;
    if (likeness === UNMASKED) this.#unmasked += 1;
  }

  addAll(words: readonly QuoteWord[], source: WordList, from: number): void {
    words.forEach((word, at) => {
      this.add(compareWords(word, source, from + at));
      this.#hasOtherMarks ||= differsBefore(word, source, from + at, at === 0);
    });
  }

  notes(): string[] {
    const notes = [
      ["rounded", this.#rounded],
      ["case", this.#otherCase],
      ["masked", this.#masked],
    ] as const;
    return notes.filter(([, count]) => count > 0).map(([note]) => note);
  }

  /** `words`: the number of words of the quote, a tenth of which may differ in case. */
  refused(words: number): "case" | "masked" | "words" | null {
    if (this.#hasOtherMarks) return "words";
    if (this.#unmasked > 0) return "masked";
    const isWrong = this.#wrongCase > 0 || this.#otherCase > Math.max(1, Math.floor(words / 10));
    return isWrong ? "case" : null;
  }
}
