import { MAX_CHARS } from "#shared/contracts/conclusion.ts";
import { quoteWords, type QuoteWord } from "./compare-words.ts";
import { cutAtWord } from "./cut-at-word.ts";
import type { LineRange } from "./source-lines.ts";
import { WordList } from "./word-list.ts";

const ELLIPSES = /\u2026|\u22EF|\.{3,}/u;
/** A number as `tarsy.result_read` or an editor writes it in front of a line. */
const LINE_NUMBER = /^[ \t]{0,20}(?:L?\d{1,9}:|\d{1,9}[ \t]{0,4}\|)[ \t]?/u;
const BULLET = /^[ \t]{0,20}[-•][ \t]+/u;
const THOUSANDS = /(\d),(?=\d{3})/gu;
/** A quote with less can stand anywhere by chance. */
const MIN_CHARS = 8;
const MIN_CHARS_OF_ONE_WORD = 12;

/** A way to read a quote. */
export interface QuoteForm {
  /** In plain form. */
  readonly text: string;
  /** Between ellipses, without empty ones. */
  readonly parts: readonly (readonly QuoteWord[])[];
  readonly words: readonly QuoteWord[];
  /** What stood in front of its lines was removed: numbers or the marks of a list. */
  readonly isBare: boolean;
}

/** The ways to read a quote, the literal one first; none if it has no words. */
export function quoteForms(quote: string): QuoteForm[] {
  const text = cutAtWord(quote, MAX_CHARS.quote);
  const withoutAll = (beginning: RegExp) =>
    text
      .split("\n")
      .map((line) => line.replace(beginning, ""))
      .join("\n");
  const separated = text.replace(THOUSANDS, "$1, ");
  const forms = [
    formOf(text, false),
    ...(separated === text ? [] : [formOf(separated, false)]),
    ...[LINE_NUMBER, BULLET]
      .map(withoutAll)
      .filter((other) => other !== text)
      .map((other) => formOf(other, true)),
  ];
  return forms.filter(({ words }) => words.length > 0);
}

/** True if the quote is too short to be looked for without its lines. */
export function isShort(form: QuoteForm): boolean {
  return charsOf(form) < (form.words.length === 1 ? MIN_CHARS_OF_ONE_WORD : MIN_CHARS);
}

/** True if it is not looked for at all. */
export function isTooShort(form: QuoteForm, lines: LineRange | null): boolean {
  return isShort(form) && (lines === null || charsOf(form) < 2);
}

function charsOf({ words }: QuoteForm): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function formOf(quote: string, isBare: boolean): QuoteForm {
  const parts = quote
    .split(ELLIPSES)
    .filter((part) => part.trim() !== "")
    .map((part) => quoteWords(new WordList(part)))
    .filter(({ length }) => length > 0);
  return { text: new WordList(quote).text, parts, words: parts.flat(), isBare };
}
