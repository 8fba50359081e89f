import type { QuoteWord } from "./compare-words.ts";
import type { WordRange } from "./match-words.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** The share of a quote's words that must stand at one place, in their order. */
const MIN_SHARE = 0.6;
/** Places that are compared word by word. */
const MAX_PLACES = 8;
/** More occurrences of a quote's words are not looked at, the most frequent words first. */
const MAX_OCCURRENCES = 20_000;

/** The place that has most of a quote's words in their order, if it has at least 60 % of them; else null. */
export function closestPlace(
  quote: readonly QuoteWord[],
  source: WordList,
  work: WorkLimit,
): WordRange | null {
  const needed = Math.ceil(quote.length * MIN_SHARE);
  if (quote.length === 0 || needed > source.count) return null;
  const slack = Math.max(2, quote.length >>> 2);
  let best: { place: WordRange; common: number } | null = null;
  for (const start of likelyStarts(quote, source, slack, work)) {
    const from = Math.max(0, start - slack);
    const to = Math.min(source.count, start + quote.length + slack);
    work.spend((to - from) * quote.length);
    const found = commonWords(quote, source, { from, to });
    if (found.common >= needed && found.common > (best?.common ?? 0)) best = found;
  }
  return best?.place ?? null;
}

/** Where the quote would begin if its words stood there, by the number of words that say so. */
function likelyStarts(
  quote: readonly QuoteWord[],
  source: WordList,
  slack: number,
  work: WorkLimit,
): number[] {
  const votes = new Map<number, number>();
  const byRarity = [...quote.entries()].toSorted(
    ([, a], [, b]) => source.mostWith(a.hash) - source.mostWith(b.hash),
  );
  let left = MAX_OCCURRENCES;
  for (const [at, { hash }] of byRarity) {
    left -= source.mostWith(hash);
    if (left < 0) break;
    work.spend(source.mostWith(hash) * 4);
    for (const position of source.positions(hash)) {
      const start = Math.floor((position - at) / slack);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  const likely: (readonly [start: number, count: number])[] = [];
  for (const vote of votes) {
    if (likely.length === MAX_PLACES && vote[1] <= (likely.at(-1)?.[1] ?? 0)) continue;
    likely.push(vote);
    likely.sort(([a, x], [b, y]) => y - x || a - b);
    likely.splice(MAX_PLACES);
  }
  return likely.map(([start]) => start * slack + (slack >>> 1));
}

/** The longest common sequence of words, and where it stands. */
function commonWords(
  quote: readonly QuoteWord[],
  source: WordList,
  { from, to }: WordRange,
): { place: WordRange; common: number } {
  const width = to - from + 1;
  const longest = new Uint16Array((quote.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = quote.length - 1; row >= 0; row -= 1) {
    for (let column = to - from - 1; column >= 0; column -= 1) {
      const isSame = quote[row]?.hash === source.hash(from + column);
      longest[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  let [row, column, first, last] = [0, 0, -1, -1];
  while (row < quote.length && column < to - from) {
    if (quote[row]?.hash === source.hash(from + column)) {
      if (first === -1) first = column;
      last = column;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return { place: { from: from + first, to: from + last + 1 }, common: at(0, 0) };
}
