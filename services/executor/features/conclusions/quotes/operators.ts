import type { QuoteWord } from "./compare-words.ts";
import type { WordList } from "./word-list.ts";

/** Arrows have the mark, too. */
const BOUND = /(?<![-=<>])([<>])=?\s?[\d+-]$/u;
/** Between names, or in front of a line that differs. */
const COMPARED = /(?:^|\s)([<>])=?\s$/u;
const UNEQUAL = /(!)=\s?["']?$/u;
const LOOK_BACK = 4;
/** The end of an object before another one, or before the next member. */
const NEXT_OBJECT = /\}[\s\]}]{0,200}\{|\}[\s\]}]{0,200},\s{0,200}\{/u;
const NEXT_MEMBER = /\}[\s\]}]{0,200},/u;

const UNIT_BEHIND = /^ ?(?:%|[KMGTPE]i?B|kB|ms|seconds?|minutes?|hours?|days?)(?!\w)/u;

/** True if the word `at` is a number with a unit behind it. */
export function hasUnit(words: WordList, at: number): boolean {
  const end = words.end(at);
  return /^[+-]?[\d.]+$/u.test(words.word(at)) && UNIT_BEHIND.test(words.text.slice(end, end + 10));
}

/** The `<`, `>` or `!` of a comparison in front of a word. */
export function operatorBefore(words: WordList, at: number): string | undefined {
  const start = words.start(at);
  const before = words.text.slice(Math.max(0, start - LOOK_BACK), start);
  if (!/[<>!]/u.test(before)) return undefined;
  const bound = BOUND.exec(before + words.text.charAt(start));
  return (bound ?? COMPARED.exec(before) ?? UNEQUAL.exec(before))?.[1];
}

/**
 * True if the marks in front of a quote's word say something else than those in front of the source's word, though marks count for nothing:
 * another comparison, or another object than the word before. `isFirst`: of what is compared.
 */
export function differsBefore(word: QuoteWord, source: WordList, at: number, isFirst: boolean): boolean {
  const operator = operatorBefore(source, at);
  if (operator !== word.operator) {
    // A `>` of Markdown, and the beginning of a quote behind an operator.
    if (operator === undefined ? !word.isFirstOfLine : word.operator !== undefined || !isFirst) return true;
  }
  if (isFirst) return false;
  const gap = source.text.slice(source.end(at - 1), source.start(at));
  if (!gap.includes("}") || word.gap.includes("}")) return false;
  // In YAML the next member is in a line of its own.
  return NEXT_OBJECT.test(gap) || (NEXT_MEMBER.test(gap) && !word.gap.includes("\n"));
}
