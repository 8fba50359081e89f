import { IS_MASKED } from "./divide-words.ts";
import type { WordList } from "./word-list.ts";

/** How a word of a quote is like a word of a source. From WRONG_CASE on a rule refuses it. */
export const [DIFFERENT, SAME, OTHER_CASE, ROUNDED, MASKED_WITHOUT_DIGITS, WRONG_CASE, UNMASKED] = [
  0, 1, 2, 3, 4, 5, 6,
] as const;
export type Likeness = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const NUMBER = /^([+-]?)(\d{1,24})(?:\.(\d{1,24}))?([A-Za-zµ%/]{0,12})$/u;
const KIND_OF_MASKED = /^\[?(MASKED_[A-Z0-9_]{1,40}?)(?::[0-9a-f]{6})?\]?$/u;
const VERSION = /(?:version|tag|release)$/iu;
/** Arrows have the mark, too. */
const BOUND = /(?<![-=<>])([<>])=?\s?[\d+-]$/u;
const NEGATING = new Set(["no", "not", "never", "without", "cannot", "unable", "zero"]);

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
  /** The `<` or `>` in front of a number. */
  readonly bound: string | undefined;
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
      bound: boundBefore(words, at),
    };
  });
}

/** True if the word can be like a word that has another hash. */
export function mayDiffer({ number, masked }: QuoteWord): boolean {
  return number !== null || masked !== null;
}

/** Compares a word of a quote with the word `at` of a source. */
export function compareWords(word: QuoteWord, source: WordList, at: number): Likeness {
  if (word.bound !== undefined && (boundBefore(source, at) ?? word.bound) !== word.bound) return DIFFERENT;
  if (source.hash(at) === word.hash) {
    return source.isWord(at, word.text) ? SAME : compareCase(word, source.word(at));
  }
  if (source.has(at, IS_MASKED)) return compareMasked(word, source.word(at));
  return word.number !== null && isRounded(word.number, source, at) ? ROUNDED : DIFFERENT;
}

function compareCase({ text, lower, hasDigit }: QuoteWord, other: string): Likeness {
  if (other === text) return SAME;
  if (other.toLowerCase() !== lower) return DIFFERENT;
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
  if (exact.sign !== quoted.sign || exact.unit !== quoted.unit || isLiteral(source, at)) return false;
  const unit = 10n ** BigInt(exact.places - quoted.places);
  const difference = BigInt(exact.digits) - BigInt(quoted.digits) * unit;
  if (difference === 0n) return true;
  const distance = difference < 0n ? -difference : difference;
  return distance * 2n <= unit && quoted.digits.replace(/^0+/u, "").length >= 2;
}

/** The seconds of 10:15:30.25, the tag of busybox:1.35, or a version. */
function isLiteral(source: WordList, at: number): boolean {
  if (/[\w.-]:$/u.test(source.text.slice(Math.max(0, source.start(at) - 2), source.start(at)))) return true;
  return at > 0 && VERSION.test(source.word(at - 1));
}

/** Marks count for nothing, but `> 90` is not `< 90`. */
function boundBefore(words: WordList, at: number): string | undefined {
  const start = words.start(at);
  return BOUND.exec(words.text.slice(Math.max(0, start - 4), start + 1))?.[1];
}

/** True if the word `at` of the source negates what follows it. A negation such as "isn't" is two words. */
export function negates(source: WordList, at: number): boolean {
  const word = source.word(at).toLowerCase();
  if (NEGATING.has(word)) return true;
  return (
    word === "t" &&
    at > 0 &&
    source.text.slice(source.end(at - 1) - 1, source.start(at)).toLowerCase() === "n'"
  );
}
