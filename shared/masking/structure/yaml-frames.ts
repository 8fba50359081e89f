import type { YamlLine } from "#shared/masking/structure/yaml-lines.ts";

/** A value and its place; of a block scalar from its first to its last character. */
export interface Value {
  readonly start: number;
  end: number;
}

/** A mapping, by the column of its keys. */
export interface YamlFrame {
  readonly column: number;
  kind: string | undefined;
  apiVersion: string | undefined;
  type: string | undefined;
  hasData: boolean;
  /** While the lines below `data` or `stringData` are read: the column of that key. */
  dataColumn: number | undefined;
  readonly data: Value[];
  /** The column of the keys below `data`: what stands further right continues a value. */
  dataFirstColumn: number | undefined;
  name: string | undefined;
  namedValue: Value | undefined;
  /** Those that say together what one of them is. */
  telling: Map<string, Value> | undefined;
}

/** A mapping of which nothing is known yet. */
export function newFrame(column: number): YamlFrame {
  return {
    column,
    kind: undefined,
    apiVersion: undefined,
    type: undefined,
    hasData: false,
    dataColumn: undefined,
    data: [],
    dataFirstColumn: undefined,
    name: undefined,
    namedValue: undefined,
    telling: undefined,
  };
}

/** Notes a line below `data`: a key with its value, or more of the value before. True for a key. */
export function noteData(frame: YamlFrame, line: YamlLine): boolean {
  const { data, dataColumn } = frame;
  const last = data.at(-1);
  if (line.type === "key" && line.column <= (frame.dataFirstColumn ?? line.column)) {
    frame.dataFirstColumn = line.column;
    data.push({ start: line.valueStart, end: line.valueEnd });
    return true;
  }
  const isValue = last !== undefined && dataColumn !== undefined && last.start < line.start;
  // A comment between keys stays a line of its own.
  const isOwnComment = line.type === "comment" && line.column <= (frame.dataFirstColumn ?? line.column);
  if (isValue && !isOwnComment) last.end = line.end;
  else data.push({ start: line.start, end: line.end });
  return false;
}

/** Behind the bracket that closes the one at `start`; undefined if none does. */
export function endOfFlow(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"' || char === "'") {
      const closing = text.indexOf(char, at + 1);
      if (closing !== -1) at = closing;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
