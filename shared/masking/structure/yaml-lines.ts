/** The parts of a line that is read as YAML in block style. Places are offsets in the text; columns count from 0. */
export interface YamlLine {
  /** `end` separates documents, or ends a block of code in Markdown. */
  readonly type: "empty" | "end" | "comment" | "key" | "text";
  /** The column of the first character that is not white space. */
  readonly column: number;
  /** It begins with the dash of a list's item. */
  readonly isItem: boolean;
  /** The range from the first character that is not white space to the last. */
  readonly start: number;
  readonly end: number;
  readonly key: string;
  /** The column of the key; in the first line of an item it stands behind the dash. */
  readonly keyColumn: number;
  /** The value without its tag, its anchor, its quotes and what follows them. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

const EMPTY: YamlLine = {
  type: "empty",
  column: 0,
  isItem: false,
  start: 0,
  end: 0,
  key: "",
  keyColumn: 0,
  valueStart: 0,
  valueEnd: 0,
};
const SEPARATOR = /^(?:---|\.\.\.|```|~~~)/u;
const KEY =
  /^(?:"([^"\\]{1,253})"|'([^']{1,253})'|([\w.$/@\u00C0-\u1FFF\u3040-\uD7FF-][\w.$/@\u00C0-\u1FFF\u3040-\uD7FF -]{0,252}?))\s{0,8}:(?=\s|$)/u;
const PROPERTY = /^(?:![\w:!<>/,.-]{0,100}|&[\w.-]{1,100})(?=\s|$)/u;
const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;
const DASH = 0x2d;
/** A longer line is no YAML that a person or a tool wrote in block style. */
const MAX_KEY_PART = 300;

/** Reads the line from `from` up to `to`. */
export function readYamlLine(text: string, from: number, to: number, isDiff: boolean): YamlLine {
  let end = to;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = from;
  if (isDiff && (text[start] === "+" || text[start] === "-")) start += 1;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  if (start >= end) return EMPTY;
  const column = start - from;
  if (text[start] === "#") return commentLine(text, start, end, column);
  const head = text.slice(start, Math.min(end, start + 3));
  if (SEPARATOR.test(head)) return { ...EMPTY, type: "end", column, start, end };
  const content = skipDashes(text, start, end);
  const isItem = content > start;
  const match = KEY.exec(text.slice(content, Math.min(end, content + MAX_KEY_PART)));
  const keyColumn = content - from;
  const key = match?.[1] ?? match?.[2] ?? match?.[3] ?? "";
  const [valueStart, valueEnd] = valueRange(text, content + (match?.[0].length ?? 0), end);
  const type = match === null ? "text" : "key";
  return { type, column, isItem, start, end, key, keyColumn, valueStart, valueEnd };
}

function commentLine(text: string, from: number, end: number, column: number): YamlLine {
  let start = from;
  while (start < end && (text[start] === "#" || isSpace(text.charCodeAt(start)))) start += 1;
  return start === end ? EMPTY : { ...EMPTY, type: "comment", column, start, end };
}

/** Behind the dashes of items, which may be nested. */
function skipDashes(text: string, start: number, end: number): number {
  let at = start;
  while (at + 1 < end && text.charCodeAt(at) === DASH && isSpace(text.charCodeAt(at + 1))) {
    at += 1;
    while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  }
  return at;
}

function valueRange(text: string, from: number, to: number): [start: number, end: number] {
  const start = skipProperties(text, from, to);
  let end = to;
  if (text[end - 1] === "," && end - 1 >= start) end -= 1;
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return [start, end];
  const closing = text.lastIndexOf(quote, end - 1);
  return closing > start ? [start + 1, closing] : [start + 1, end];
}

/** Behind white space, tags and anchors: `!!str`, `&name`. */
function skipProperties(text: string, from: number, to: number): number {
  for (let start = from; ;) {
    while (start < to && isSpace(text.charCodeAt(start))) start += 1;
    const property = PROPERTY.exec(text.slice(start, Math.min(to, start + MAX_KEY_PART)))?.[0];
    if (property === undefined) return start;
    start += property.length;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === RETURN;
}
