import { safeCut } from "#shared/safe-cut.ts";

/** A longer result is shown in pages of this many UTF-16 code units, so that opening it never blocks the page. */
export const PAGE_UNITS = 64 * 1024;

/** The offsets at which pages begin: behind a line break where one is near the end of a page. */
export function pageStarts(text: string): readonly number[] {
  const starts = [0];
  for (let start = 0; text.length - start > PAGE_UNITS;) {
    const lineBreak = text.lastIndexOf("\n", start + PAGE_UNITS - 1);
    const isNear = lineBreak > start + PAGE_UNITS / 2;
    start = isNear ? lineBreak + 1 : start + safeCut(text.slice(start, start + PAGE_UNITS), PAGE_UNITS);
    starts.push(start);
  }
  return starts;
}

/** The page on which an offset is. */
export function pageAt(starts: readonly number[], offset: number): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= offset),
  );
}

const MAX_FOUND = 10_000;

/** The offsets at which a word begins, in any case; at most 10,000. */
export function findAll(text: string, word: string): readonly number[] {
  if (word === "") return [];
  // Both are folded by code unit, so that the offsets stay those of the text.
  const [where, what] = [foldCase(text), foldCase(word)];
  const found: number[] = [];
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + what.length)) {
    found.push(at);
    if (found.length >= MAX_FOUND) break;
  }
  return found;
}

function foldCase(text: string): string {
  const folded = text.toLowerCase();
  return folded.length === text.length ? folded : text;
}
