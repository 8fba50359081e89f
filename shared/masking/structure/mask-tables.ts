import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { mayNameSecret } from "#shared/masking/secret-words.ts";

const RULE = /^[\s|+:=-]*-[\s|+:=-]*$/u;
const FIELD_NAME = /^[\p{L}_][\p{L}\p{M}\w.-]{0,60}$/u;
const LABEL = /^[\p{L}\p{M}\w .-]{1,60}$/u;
const MAX_HEADER = 4_096;
/** The form that kubectl prints: names in capitals, with white space between. */
const CAPITALS = /^[A-Z][A-Z0-9_()%-]*(?: [A-Z0-9_()%-]+)*(?: {2,}[A-Z0-9_()%-]+(?: [A-Z0-9_()%-]+)*)+\s*$/u;
/** A table of names and values. */
const PAIRS = /^\s{0,20}(?:key|name|variable|field|property)\s{1,200}value\s*$/iu;

/** A cell and its place in a line, without the white space around it. */
interface Cell {
  readonly start: number;
  readonly end: number;
}

/** The columns of a table that hold secrets. */
interface TextTable {
  readonly cellsOf: (line: string) => readonly Cell[];
  readonly count: number;
  readonly kinds: readonly (SecretKind | undefined)[];
  /** The first column has the names of what is in the second one. */
  readonly isPairs: boolean;
}

/**
 * Masks the columns whose names look secret in tables: those of psql, MySQL and Markdown, CSV and other delimited text, and
 * pairs of a name and a value between bars. Takes time proportional to the text.
 */
export function maskTables(text: string, context: MaskContext): string {
  if (!mayNameSecret(text) || !/[|,;\t]|^-{2,}|^[A-Z].* {2,}[A-Z]/mu.test(text)) return text;
  const lines = text.split("\n");
  let table: TextTable | undefined;
  const masked = lines.map((line, index) => {
    context.step();
    const next = lines[index + 1] ?? "";
    const isRow = table !== undefined && table.cellsOf(line).length === table.count;
    const header = isRow ? undefined : readHeader(line, next);
    if (header !== undefined) {
      table = header;
      return line;
    }
    if (table !== undefined) {
      if (RULE.test(line)) return line;
      const cells = table.cellsOf(line);
      if (cells.length === table.count && line.trim() !== "" && !/^\(\d+ rows?\)$/u.test(line.trim())) {
        return maskCells(line, cells, table.isPairs ? pairKinds(line, cells) : table.kinds, context);
      }
      table = undefined;
    }
    return RULE.test(next) ? line : maskPair(line, context);
  });
  const result = masked.join("\n");
  return result === text ? text : result;
}

function readHeader(line: string, next: string): TextTable | undefined {
  const isPairs = PAIRS.test(line);
  if (line.length > MAX_HEADER || (!isPairs && !mayNameSecret(line))) return undefined;
  const hasRule = next.length <= 2 * MAX_HEADER && RULE.test(next);
  const columns = hasRule && !next.includes("|") && !next.includes("+") ? ruledColumns(next) : [];
  if (columns.length > 1) return ruledTable(line, columns);
  if (hasRule) return tableOf(line, line.includes("|") ? barCells : wholeLine, () => true);
  if (CAPITALS.test(line)) {
    const found = ruledTable(
      line,
      [...line.matchAll(/(?<=^| {2,}|\t)[A-Z]/gu)].map(({ index }) => index),
    );
    // A Secret may be named there.
    const kinds = found?.kinds.map((kind) => (kind === "SECRET" ? "KEY" : kind)) ?? [];
    if (found !== undefined) {
      return { ...found, kinds, cellsOf: (row) => (fits(row, line) ? found.cellsOf(row) : []) };
    }
  }
  for (const delimiter of [",", ";", "\t"]) {
    if (line.includes(delimiter)) {
      const found = tableOf(
        line,
        (row) => delimitedCells(row, delimiter),
        (name) => FIELD_NAME.test(name),
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** True if the row has white space before the columns of the header. */
function fits(row: string, header: string): boolean {
  return [...header.matchAll(/ {2,}(?=[A-Z])/gu)].every(({ index, 0: gap }) =>
    /\s/u.test(row.charAt(index + gap.length - 1) || " "),
  );
}

/** The offsets of the columns of a table whose header has a rule of its own below each of them. */
function ruledColumns(rule: string): readonly number[] {
  return [...rule.matchAll(/(?<=^|\s)-+(?=\s|$)/gu)].map(({ index }) => index);
}

/** The form that the tools of Vault, PowerShell and SQL Server print. */
function ruledTable(header: string, columns: readonly number[]): TextTable | undefined {
  const cellsOf = (line: string) =>
    columns.map((start, index) =>
      trimmed(line, Math.min(start, line.length), endOfColumn(line, columns[index + 1])),
    );
  const kinds = cellsOf(header).map(({ start, end }) => secretNameKind(header.slice(start, end)));
  const isPairs = columns.length === 2 && PAIRS.test(header);
  const hasSecrets = isPairs || kinds.some((kind) => kind !== undefined);
  return hasSecrets ? { cellsOf, count: columns.length, kinds, isPairs } : undefined;
}

function endOfColumn(line: string, next: number | undefined): number {
  return next === undefined ? line.length : Math.min(next, line.length);
}

function pairKinds(line: string, [name]: readonly Cell[]): TextTable["kinds"] {
  return [undefined, name === undefined ? undefined : secretNameKind(line.slice(name.start, name.end))];
}

function tableOf(
  line: string,
  cellsOf: TextTable["cellsOf"],
  isName: (name: string) => boolean,
): TextTable | undefined {
  const cells = cellsOf(line);
  const names = cells.map(({ start, end }) => line.slice(start, end).replaceAll(/^[*_`]+|[*_`]+$/gu, ""));
  const isTable = cellsOf === wholeLine || names.length >= 2 || line.includes("|");
  if (!isTable || !names.every(isName)) return undefined;
  const kinds = names.map((name) => (LABEL.test(name) ? secretNameKind(name) : undefined));
  return kinds.some((kind) => kind !== undefined)
    ? { cellsOf, count: cells.length, kinds, isPairs: false }
    : undefined;
}

function maskCells(
  line: string,
  cells: readonly Cell[],
  kinds: TextTable["kinds"],
  context: MaskContext,
): string {
  const parts: string[] = [];
  let copied = 0;
  for (const [index, { start, end }] of cells.entries()) {
    const kind = kinds[index];
    const value = line.slice(start, end);
    if (kind === undefined || isHarmlessValue(value, kind)) continue;
    parts.push(line.slice(copied, start), context.mask(value, kind));
    copied = end;
  }
  parts.push(line.slice(copied));
  return parts.join("");
}

/** A name and a value between bars: a record of psql in its extended format, or a row of Markdown. */
function maskPair(line: string, context: MaskContext): string {
  const bar = line.indexOf("|");
  if (bar === -1 || bar > 200 || !mayNameSecret(line.slice(0, 200))) return line;
  const cells = barCells(line);
  const [name, value] = cells;
  if (cells.length !== 2 || name === undefined || value === undefined) return line;
  const label = line.slice(name.start, name.end);
  const kind = LABEL.test(label) ? secretNameKind(label) : undefined;
  return kind === undefined ? line : maskCells(line, cells, [undefined, kind], context);
}

function barCells(line: string): readonly Cell[] {
  const cells = delimitedCells(line, "|");
  const first = cells[0];
  const last = cells.at(-1);
  const from = first !== undefined && first.start === first.end ? 1 : 0;
  const to =
    cells.length > 1 && last !== undefined && last.start === last.end && line.trimEnd().endsWith("|")
      ? -1
      : undefined;
  return cells.slice(from, to);
}

function wholeLine(line: string): readonly Cell[] {
  return [trimmed(line, 0, line.length)];
}

/** Cells between delimiters; in quotes, which are no part of them, delimiters are characters like others. */
function delimitedCells(line: string, delimiter: string): readonly Cell[] {
  const cells: Cell[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at += 1) {
    const char = line[at];
    if (char === '"' && delimiter !== "|") isQuoted = !isQuoted;
    if (char !== undefined && (isQuoted || char !== delimiter)) continue;
    const cell = trimmed(line, start, at);
    const isInQuotes = line[cell.start] === '"' && line[cell.end - 1] === '"' && cell.end - cell.start >= 2;
    cells.push(isInQuotes ? { start: cell.start + 1, end: cell.end - 1 } : cell);
    start = at + 1;
  }
  return cells;
}

function trimmed(line: string, from: number, to: number): Cell {
  let [start, end] = [from, to];
  while (start < end && /\s/u.test(line.charAt(start))) start += 1;
  while (end > start && /\s/u.test(line.charAt(end - 1))) end -= 1;
  return { start, end };
}
