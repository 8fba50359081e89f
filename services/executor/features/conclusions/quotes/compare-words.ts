import { FIRST_OF_CELL, IS_MASKED } from "./divide-words.ts";
import { hasUnit, operatorBefore } from "./operators.ts";
import type { WordList } from "./word-list.ts";

/** How a word of a quote is like a word of a source. From WRONG_CASE on a rule refuses it. */
export const [DIFFERENT, SAME, OTHER_CASE, ROUNDED, MASKED_WITHOUT_DIGITS, WRONG_CASE, UNMASKED] = [
  0, 1, 2, 3, 4, 5, 6,
] as const;
export type Likeness = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const NUMBER = /^([+-]?)(\d{1,24})(?:\.(\d{1,24}))?([A-Za-zµμ%/]{0,12})$/u;
const KIND_OF_MASKED = /^\[?(MASKED_[A-Z0-9_]{1,40}?)(?::[0-9a-f]{6})?\]?$/u;
const VERSION = /(?:version|tag|release)$/iu;
/** In front of a number of a version: the name of what has it. */
const NAMED = /[A-Za-z]\)?[ \t]$/u;
const UNIT = /^(?:[kmgtpe]i?)?(?:b|bps)?$|^[mnµμ]?s$/iu;

interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly places: number;
  readonly unit: string;
}

/** A word of a quote, with what comparing it needs. */
export interface QuoteWord {
  readonly text: string;
  readonly lower: string;
  readonly hash: number;
  readonly hasDigit: boolean;
  readonly isMasked: boolean;
  readonly number: Decimal | null;
  readonly masked: string | null;
  /** As in `operatorBefore`. */
  readonly operator: string | undefined;
  readonly isFirstOfLine: boolean;
  /** The marks behind the word before. */
  readonly gap: string;
}

export function quoteWords(words: WordList): QuoteWord[] {
  return Array.from({ length: words.count }, (_, at) => {
    const text = words.word(at);
    return {
      text,
      lower: text.toLowerCase(),
      hash: words.hash(at),
      hasDigit: /\d/u.test(text),
      isMasked: words.has(at, IS_MASKED),
      number: decimalOf(text),
      masked: KIND_OF_MASKED.exec(text)?.[1] ?? null,
      operator: operatorBefore(words, at),
      isFirstOfLine: words.isFirstOfLine(at),
      gap: words.text.slice(at === 0 ? 0 : words.end(at - 1), words.start(at)),
    };
  });
}

/** True if the word can be like a word that has another hash. */
export function mayDiffer({ number, masked }: QuoteWord): boolean {
  return number !== null || masked !== null;
}

/** Compares a word of a quote with the word `at` of a source. */
export function compareWords(word: QuoteWord, source: WordList, at: number): Likeness {
  if (source.hash(at) === word.hash) {
    return source.isWord(at, word.text) ? SAME : compareCase(word, source, at);
  }
  if (source.has(at, IS_MASKED)) return compareMasked(word, source.word(at));
  return word.number !== null && isRounded(word.number, source, at) ? ROUNDED : DIFFERENT;
}

function compareCase({ text, lower, hasDigit }: QuoteWord, source: WordList, at: number): Likeness {
  const other = source.word(at);
  if (other === text) return SAME;
  if (other.toLowerCase() !== lower) return DIFFERENT;
  if (UNIT.test(text) && at > 0 && /^[+-]?\d/u.test(source.word(at - 1))) return WRONG_CASE;
  return hasDigit && other.slice(1) !== text.slice(1) ? WRONG_CASE : OTHER_CASE;
}

function compareMasked({ masked, isMasked, text }: QuoteWord, other: string): Likeness {
  if (masked === null) return UNMASKED;
  const withoutDigits = !text.includes(":");
  if (withoutDigits && masked === KIND_OF_MASKED.exec(other)?.[1]) return MASKED_WITHOUT_DIGITS;
  return isMasked ? UNMASKED : DIFFERENT;
}

function decimalOf(text: string): Decimal | null {
  const [whole, sign = "", before = "", after = "", unit = ""] = NUMBER.exec(text) ?? [];
  return whole === undefined ? null : { sign, digits: before + after, places: after.length, unit };
}

/** True if the quote's number is the source's decimal with fewer places, rounded to the nearest one, half either way, to at least two digits. */
function isRounded(quoted: Decimal, source: WordList, at: number): boolean {
  const first = source.text.charCodeAt(source.start(at));
  if (!((first >= 48 && first <= 57) || first === 43 || first === 45)) return false;
  const exact = decimalOf(source.word(at));
  if (exact === null || exact.places <= quoted.places) return false;
  if (exact.sign !== quoted.sign || exact.unit !== quoted.unit || isLiteral(exact, source, at)) return false;
  const unit = 10n ** BigInt(exact.places - quoted.places);
  const difference = BigInt(exact.digits) - BigInt(quoted.digits) * unit;
  if (difference === 0n) return true;
  const distance = difference < 0n ? -difference : difference;
  return distance * 2n <= unit && quoted.digits.replace(/^0+/u, "").length >= 2;
}

/** The seconds of 10:15:30.25, the tag of busybox:1.35, a version, or what may be one, as in `Python 3.10`. */
function isLiteral({ places, unit }: Decimal, source: WordList, at: number): boolean {
  const before = source.text.slice(Math.max(0, source.start(at) - 3), source.start(at));
  if (/[\w.-]:$/u.test(before)) return true;
  const mayBeVersion = places <= 2 && unit === "" && !hasUnit(source, at);
  if (mayBeVersion && !source.has(at, FIRST_OF_CELL) && NAMED.test(before)) return true;
  return at > 0 && VERSION.test(source.word(at - 1));
}
