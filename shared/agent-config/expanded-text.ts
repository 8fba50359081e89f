import { LineCounter } from "yaml";
import type { Place } from "#shared/agent-config/config-problem.ts";

/** One `{{…}}` in the source and what it became; offsets in UTF-16 units. */
export interface Insertion {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly start: number;
  readonly end: number;
  /** Absent for literal text. */
  readonly variable?: string;
  /** It was not understood, and something stands in for it. */
  readonly broken: boolean;
}

/** A file's text after interpolation that still knows where everything stood before. */
export class ExpandedText {
  readonly file: string;
  readonly text: string;
  readonly insertions: readonly Insertion[];
  readonly #source: string;
  readonly #lines: LineCounter;

  constructor(file: string, source: string, text: string, insertions: readonly Insertion[]) {
    this.file = file;
    this.text = text;
    this.insertions = insertions;
    this.#source = source;
    this.#lines = countLines(source);
  }

  /** Place in the written file of an offset into the expanded text. */
  placeOf(offset: number): Place {
    return this.placeInSource(this.#toSource(offset, "start"));
  }

  /** Place of an offset into the file as written. */
  placeInSource(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line, column: col };
  }

  /** What stands in the file for a range of the expanded text. */
  writtenAt(start: number, end: number): string {
    return this.#source.slice(this.#toSource(start, "start"), this.#toSource(end, "end"));
  }

  /** The variables inserted into a range of the expanded text, each once. */
  variablesIn(start: number, end: number): string[] {
    const names = this.#within(start, end).flatMap(({ variable }) =>
      variable === undefined ? [] : [variable],
    );
    return [...new Set(names)];
  }

  /** True if a template within the range was not understood. */
  isBroken(start: number, end: number): boolean {
    return this.#within(start, end).some((insertion) => insertion.broken);
  }

  /** What was inserted into a line of the file as written. */
  insertionsOnLine(line: number): { variables: string[]; broken: boolean } {
    const onLine = this.insertions.filter(({ sourceStart }) => this.placeInSource(sourceStart).line === line);
    const names = onLine.flatMap(({ variable }) => (variable === undefined ? [] : [variable]));
    return { variables: [...new Set(names)], broken: onLine.some((insertion) => insertion.broken) };
  }

  #within(start: number, end: number): Insertion[] {
    return this.insertions.filter((insertion) => insertion.start <= end && insertion.end >= start);
  }

  /** At an insertion's edge, `side` says which end of the template is meant. */
  #toSource(offset: number, side: "start" | "end"): number {
    let shift = 0;
    for (const insertion of this.insertions) {
      if (offset < insertion.start || (side === "end" && offset === insertion.start)) {
        const isEmpty = insertion.start === insertion.end;
        return isEmpty && offset === insertion.start ? insertion.sourceEnd : offset + shift;
      }
      if (offset < insertion.end || (side === "end" && offset === insertion.end)) {
        return side === "start" ? insertion.sourceStart : insertion.sourceEnd;
      }
      shift = insertion.sourceEnd - insertion.end;
    }
    return offset + shift;
  }
}

function countLines(source: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  return lines;
}
