import { DIFFERENT, compareWords, type QuoteWord } from "./compare-words.ts";
import { nearestMatch, type Where, type WordRange } from "./match-words.ts";
import { negates } from "./negation.ts";
import { Differences, type QuoteMatch } from "./quote-match.ts";
import { tableRow, type TableRow, type TableTops } from "./table-rows.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/** Words of a quote that may stand in front of the first cell: the heading of its column. */
const MAX_HEADING = 4;
const MIN_KEPT = 2;
/** Further lines that begin alike are not looked at. */
const MAX_LINES = 1_000;
/** A word with more occurrences is not looked for at the beginnings of lines. */
const MAX_OCCURRENCES = 50_000;

/**
 * Finds a quote in one line of a table: whole cells may be left out, but not the first one, and the heading of a column may stand
 * before its cell. At least two cells are kept.
 */
export function matchTableRow(
  quote: readonly QuoteWord[],
  source: WordList,
  tops: TableTops,
  where: Where,
  work: WorkLimit,
): QuoteMatch | null {
  return nearestMatch(matchesOf(quote, source, tops, work), where);
}

function* matchesOf(
  quote: readonly QuoteWord[],
  source: WordList,
  tops: TableTops,
  work: WorkLimit,
): Generator<QuoteMatch, void> {
  for (const line of linesOf(quote, source, work)) {
    const row = tableRow(line, source, tops, work);
    const kept = row === null ? null : keepCells(quote, row, source, work);
    if (kept !== null && kept.length >= MIN_KEPT) yield matchOf(quote, kept, source);
  }
}

/** The first words of lines that begin with a word of the quote's beginning, in order. */
function linesOf(quote: readonly QuoteWord[], source: WordList, work: WorkLimit): number[] {
  const lines = new Set<number>();
  for (const { hash } of quote.slice(0, MAX_HEADING + 1)) {
    if (source.mostWith(hash) > MAX_OCCURRENCES) continue;
    work.spend(source.mostWith(hash));
    for (const at of source.positions(hash)) {
      if (lines.size < MAX_LINES && source.isFirstOfLine(at)) lines.add(at);
    }
  }
  return [...lines].toSorted((a, b) => a - b);
}

/** A cell of a row that is in the quote, where its own words begin. */
interface KeptCell {
  readonly cell: WordRange;
  readonly at: number;
}

/** The cells that make up the whole quote, the first cell of the row included; null if it is not made up of cells. */
function keepCells(
  quote: readonly QuoteWord[],
  { cells, headings }: TableRow,
  source: WordList,
  work: WorkLimit,
): KeptCell[] | null {
  const failed = new Set<number>();
  const stands = ({ from, to }: WordRange, at: number) => {
    work.spend(1);
    if (at + to - from > quote.length) return false;
    for (let word = from; word < to; word += 1) {
      work.spend(1);
      const quoted = quote[at + word - from];
      if (quoted === undefined || compareWords(quoted, source, word) === DIFFERENT) return false;
    }
    return true;
  };
  /** The kept ones of the cells from `index` on, which make up the quote from its word `at` on. */
  const keep = (index: number, at: number): KeptCell[] | null => {
    const cell = cells[index];
    if (at === quote.length) return [];
    if (cell === undefined || failed.has(index * (quote.length + 1) + at)) return null;
    const heading = headings[index];
    const behind = heading !== undefined && stands(heading, at) ? at + heading.to - heading.from : at;
    for (const begin of new Set([behind, at])) {
      const others = stands(cell, begin) ? keep(index + 1, begin + cell.to - cell.from) : null;
      if (others !== null) return [{ cell, at: begin }, ...others];
    }
    const others = index === 0 ? null : keep(index + 1, at);
    if (others === null) failed.add(index * (quote.length + 1) + at);
    return others;
  };
  return keep(0, 0);
}

function matchOf(quote: readonly QuoteWord[], kept: readonly KeptCell[], source: WordList): QuoteMatch {
  const differences = new Differences();
  let isNegated = false;
  let end = kept[0]?.cell.to ?? 0;
  for (const { cell, at } of kept) {
    differences.addAll(quote.slice(at, at + cell.to - cell.from), source, cell.from);
    for (; end < cell.from; end += 1) isNegated ||= negates(source, end);
    end = cell.to;
  }
  const refused = differences.refused(quote.length) ?? (isNegated ? "negation" : null);
  return { from: kept[0]?.cell.from ?? 0, to: end, notes: [...differences.notes(), "cells"], refused };
}
