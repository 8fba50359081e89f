import type { RealText } from "./real-texts.ts";

/** Returns the next number in [0, 1) of a seeded sequence. */
export type Random = () => number;

/** A quote of a text, with the lines that are stated; null if the text has nothing of the kind. */
export type MakeQuote = (text: RealText, random: Random, others: readonly RealText[]) => Made | null;
export interface Made {
  readonly quote: string;
  readonly lines?: string;
}

export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}

const NEGATION = /\b(?:no|not|never|without|cannot|unable|zero|\w+n['’]t)\b/iu;
export const negates = (text: string): boolean => NEGATION.test(text);

/** A line that can be quoted, or one that a test likes. */
export function lineOf(
  { lines }: RealText,
  random: Random,
  isGood: (line: string) => boolean = () => true,
): string | undefined {
  const fits = (line: string) => line.length <= 600 && plain(line).length >= 16 && plain(line).includes(" ");
  return pick(
    random,
    lines.filter((line) => fits(line) && isGood(line)),
  );
}

/** A simple form of the rules for words, to see whether a text that is made to be false is true by chance. */
export function plain(text: string): string {
  const words = text.toLowerCase().split(/[\s"'`*{}[\]();,|<>=:\\]+/u);
  return words
    .map((word) => word.replace(/[.!?]+$/u, ""))
    .filter((word) => word !== "")
    .join(" ");
}

export function stands(quote: string, text: string): boolean {
  return ` ${plain(text)} `.includes(` ${plain(quote)} `);
}

/** Columns of a line of a table. */
export const cellsOf = (line: string): string[] =>
  line
    .trim()
    .split(/ {2,}|\t| ?\| ?/u)
    .filter((cell) => cell !== "");
export const isRow = (line: string): boolean =>
  cellsOf(line).length >= 3 && !/^\s/u.test(line) && !line.startsWith("|");
