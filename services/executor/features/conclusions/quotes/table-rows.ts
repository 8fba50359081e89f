import { FIRST_OF_CELL, IS_UNIT } from "./divide-words.ts";
import type { WordRange } from "./match-words.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

const MIN_COLUMNS = 3;
/** Cells of a line that are looked at. */
const MAX_COLUMNS = 200;
const HEADING = /^[A-Z][A-Z0-9()/_%-]*$/u;

/** The first lines of tables by the lines for which they were looked up, for columns and for words. */
export interface TableTops {
  readonly ofColumns: Map<number, number>;
  readonly ofWords: Map<number, number>;
}

/** A line of a table. */
export interface TableRow {
  readonly cells: readonly WordRange[];
  /** The words of the table's first line in the columns of the cells; undefined for none. */
  readonly headings: readonly (WordRange | undefined)[];
}

/**
 * The row that begins with the word `first` of a line; null if it has less than three columns. Tabs, bars and two spaces divide
 * columns, or single spaces in all lines below headings in capitals.
 */
export function tableRow(first: number, source: WordList, tops: TableTops, work: WorkLimit): TableRow | null {
  const cells = cellsOf(first, source, FIRST_OF_CELL);
  work.spend(cells.length);
  if (cells.length >= MIN_COLUMNS) {
    const top = topOf(
      first,
      source,
      tops.ofColumns,
      work,
      (line) => cellsOf(line, source, FIRST_OF_CELL).length >= MIN_COLUMNS,
    );
    return {
      cells,
      headings: top === first ? [] : headingsFor(cells, cellsOf(top, source, FIRST_OF_CELL), source),
    };
  }
  const words = cellsOf(first, source, 0);
  if (words.length < MIN_COLUMNS || words.length === MAX_COLUMNS) return null;
  const top = topOf(
    first,
    source,
    tops.ofWords,
    work,
    (line) => cellsOf(line, source, 0).length === words.length,
  );
  const headings = cellsOf(top, source, 0);
  const areHeadings = top !== first && headings.every(({ from }) => HEADING.test(source.word(from)));
  return areHeadings ? { cells: words, headings } : null;
}

/** The cells of a line, which begin at words with this flag, or at all words for 0. */
function cellsOf(first: number, source: WordList, flag: number): WordRange[] {
  const cells: WordRange[] = [];
  let from = first;
  for (let at = first + 1; cells.length < MAX_COLUMNS; at += 1) {
    const isEnd = source.isFirstOfLine(at);
    if (!isEnd && (flag === 0 ? source.has(at, IS_UNIT) : !source.has(at, flag))) continue;
    cells.push({ from, to: at });
    if (isEnd) break;
    from = at;
  }
  return cells;
}

/** The first of the lines above that belong to the same table, without a blank line between. */
function topOf(
  first: number,
  source: WordList,
  known: Map<number, number>,
  work: WorkLimit,
  belongs: (line: number) => boolean,
): number {
  let top = first;
  while (top > 0 && !/\n\s*\n/u.test(source.text.slice(source.end(top - 1), source.start(top)))) {
    let above = top - 1;
    while (!source.isFirstOfLine(above)) above -= 1;
    work.spend(4 * (top - above));
    if (!belongs(above)) break;
    top = known.get(above) ?? above;
    if (top !== above) break;
  }
  known.set(first, top);
  return top;
}

function headingsFor(
  cells: readonly WordRange[],
  headings: readonly WordRange[],
  source: WordList,
): TableRow["headings"] {
  if (headings.length === cells.length) return headings;
  const column = ({ from }: WordRange, [first]: readonly WordRange[]) =>
    source.start(from) - source.start(first?.from ?? 0);
  const byColumn = new Map(headings.map((heading) => [column(heading, headings), heading]));
  return cells.map((cell) => byColumn.get(column(cell, cells)));
}
