import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { Integers } from "./integers.ts";
import type { WordRange } from "./match-words.ts";
import type { WordList } from "./word-list.ts";

/** As `shared/text-lines.ts` counts: a longer line counts as several. */
const MAX_LINE_CHARS = 1_000;
const MAX_SHOWN_CHARS = 600;
/** Code units in front of the words that are shown of a long line. */
const BEFORE_WORDS = 100;

/** Lines by their numbers, from 1, both included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The lines of a source as `tarsy.result_read` counts them. */
export class SourceLines {
  readonly #words: WordList;
  /** The number of the first piece of each line. */
  readonly #numbers = new Integers();

  constructor(words: WordList) {
    this.#words = words;
    let number = 1;
    for (let line = 0; line < words.lineCount; line += 1) {
      this.#numbers.push(number);
      const chars = words.lineOffset(line + 1) - 1 - words.lineOffset(line);
      number += Math.max(1, Math.ceil(chars / MAX_LINE_CHARS));
    }
  }

  /** The lines of some words. */
  linesOf({ from, to }: WordRange): LineRange {
    const last = Math.max(from, to - 1);
    return { from: this.#numberAt(this.#words.start(from)), to: this.#numberAt(this.#words.end(last) - 1) };
  }

  /** The words of some lines. */
  wordsOf({ from, to }: LineRange): WordRange {
    return {
      from: this.#words.wordFrom(this.#offsetOf(from)),
      to: this.#words.wordFrom(this.#offsetOf(to + 1)),
    };
  }

  /** The lines that have some words, or a part of them that has their beginning. */
  textOf({ from, to }: WordRange): string {
    const { text } = this.#words;
    const start = this.#words.start(from);
    const end = this.#words.end(Math.max(from, to - 1));
    const lineStart = this.#words.lineOffset(this.#words.lineAt(start));
    const lineEnd = this.#words.lineOffset(this.#words.lineAt(end - 1) + 1) - 1;
    const isShort = lineEnd - lineStart <= MAX_SHOWN_CHARS;
    const shownFrom = isShort ? lineStart : Math.max(lineStart, start - BEFORE_WORDS);
    const shown = text.slice(shownFrom, Math.min(lineEnd, shownFrom + MAX_SHOWN_CHARS + 1));
    return postgresSafeText(shown.slice(0, safeCut(shown, MAX_SHOWN_CHARS))).text.trim();
  }

  #numberAt(offset: number): number {
    const line = this.#words.lineAt(offset);
    const piece = Math.floor((offset - this.#words.lineOffset(line)) / MAX_LINE_CHARS);
    return this.#numbers.at(line) + piece;
  }

  #offsetOf(number: number): number {
    const line = this.#numbers.lastNotAbove(number);
    if (line < 0) return 0;
    const offset = this.#words.lineOffset(line) + (number - this.#numbers.at(line)) * MAX_LINE_CHARS;
    return Math.min(offset, this.#words.lineOffset(line + 1));
  }
}
