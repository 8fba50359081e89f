import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { textLines } from "#shared/text-lines.ts";

/** A tool's output as text. */
export interface CollectedResult {
  /** Postgres-safe; the start of the output if that is longer. */
  readonly text: string;
  /** The limit of the whole output. */
  readonly totalBytes: number;
  /** False if only the start was collected. */
  readonly isWhole: boolean;
  /** False if some bytes were no text: they are U+FFFD. */
  readonly isText: boolean;
}

/** The whole text of a result, to be stored beside its window. */
export interface KeptResult {
  /** The id under which it is read. */
  readonly handle: string;
  readonly text: string;
  /** The limit of the text. */
  readonly bytes: number;
  readonly lines: number;
  /** The window if the session has no room for the text. */
  readonly windowAlone: string;
}

/** A result as the conversation gets it. */
interface ShownResult {
  /** The limits at most. */
  readonly content: string;
  /** Null if `content` is all there is. */
  readonly kept: KeptResult | null;
}

const NOT_TEXT = "\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";
/** The part of the room for the start of a text; its end gets the rest. */
const HEAD = 0.7;
/** A window is cut at a line break if at least this part of its room is used. */
const MIN_USED = 0.5;
/** A window is at least this long, with any text about it. */
const MIN_PART_CHARS = 100;

/**
 * The text that the conversation gets of a result: all of it if that has at most `maxChars` UTF-16 code units and 256 KiB of
 * UTF-8, else a window with its start and its end, its size, the number of its lines, the shape of JSON, and how to read on
 * under `handle`. The limits include what is said about it.
 */
export function showResult(result: CollectedResult, maxChars: number, handle: string): ShownResult {
  const { text, isWhole, isText } = result;
  const remark = isText ? "" : NOT_TEXT;
  if (isWhole && text.length + remark.length <= maxChars) {
    const whole = text + remark;
    if (Buffer.byteLength(whole) <= MAX_RESULT_BYTES) return { content: whole, kept: null };
  }
  let lines = 0;
  for (const _line of textLines(text)) lines += 1;
  const bytes = Buffer.byteLength(text);
  const shape = isWhole ? jsonShape(text) : null;
  const parts = { text, lines, maxChars, remark, isWhole };
  const about = [
    `[Cut: this result has ${result.totalBytes} bytes${isWhole ? ` in ${lines} lines` : ""}; only a part is shown.`,
    ...(shape === null ? [] : [`JSON: ${shape}`]),
  ];
  const keptPart = isWhole ? "All of it is kept" : `Its first ${bytes} bytes (${lines} lines) are kept`;
  const tools = ["result_read", "result_search", ...(shape === null ? [] : ["result_json"])];
  const names = tools.map((name) => `${BUILT_IN_SERVER}.${name}`).join(", ");
  const handleLine = `${keptPart}: read on with ${names}, id "${handle}".]`;
  const aloneLine =
    "The rest is not kept: the large results of this session take up all the room for them. Ask the tool for less.]";
  return {
    content: windowOf([...about, handleLine].join("\n"), parts),
    kept: { handle, text, bytes, lines, windowAlone: windowOf([...about, aloneLine].join("\n"), parts) },
  };
}

interface WindowParts {
  readonly text: string;
  readonly lines: number;
  readonly maxChars: number;
  readonly remark: string;
  readonly isWhole: boolean;
}

function windowOf(about: string, { text, lines, maxChars, remark, isWhole }: WindowParts): string {
  const gapChars = 80;
  const said = about.length + remark.length + gapChars;
  const room = Math.max(MIN_PART_CHARS, maxChars - said);
  // No more bytes than a message may have, even if every code unit takes three.
  const maxBytes = MAX_RESULT_BYTES - 3 * said;
  // The end of what was collected is not the end of the result.
  const head = headOf(text, isWhole ? Math.floor(room * HEAD) : room, isWhole ? maxBytes * HEAD : maxBytes);
  const rest = text.slice(head.length);
  const tail = isWhole
    ? tailOf(rest, Math.floor(room * (1 - HEAD)), Math.max(0, maxBytes - Buffer.byteLength(head)))
    : "";
  const [first, last] = [countLines(head), countLines(tail)];
  const gap = `[… not shown: ${rest.length - tail.length} characters, about lines ${first + 1} to ${Math.max(first + 1, lines - last)} …]`;
  const separator = head.endsWith("\n") || head === "" ? "" : "\n";
  return `${about}\n${head}${separator}${gap}${tail === "" ? "" : `\n${tail}`}${remark}`;
}

/** The start of a text, to the end of a line if that is not too short. */
function headOf(text: string, maxChars: number, maxBytes: number): string {
  const part = startOf(text, maxChars, maxBytes);
  if (part.length === text.length) return part;
  const lineEnd = part.lastIndexOf("\n") + 1;
  return lineEnd >= part.length * MIN_USED ? part.slice(0, lineEnd) : part;
}

/** The end of a text, from the start of a line if that is not too short. */
function tailOf(text: string, maxChars: number, maxBytes: number): string {
  const part = endOf(text, maxChars, Math.floor(maxBytes));
  const lineStart = part.indexOf("\n") + 1;
  return lineStart > 0 && part.length - lineStart >= part.length * MIN_USED ? part.slice(lineStart) : part;
}

/** The longest start of the text that is within the limits and splits no character. */
function startOf(text: string, maxChars: number, maxBytes: number): string {
  const start = text.slice(0, safeCut(text, maxChars));
  const room = new Uint8Array(Math.max(0, Math.floor(maxBytes)));
  return start.slice(0, new TextEncoder().encodeInto(start, room).read);
}

/** The longest end of the text that is within the limits and splits no character. */
function endOf(text: string, maxChars: number, maxBytes: number): string {
  // No more code units than bytes.
  const start = Math.max(0, text.length - Math.min(maxChars, maxBytes));
  const end = text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
  const bytes = Buffer.from(end);
  let from = Math.max(0, bytes.length - maxBytes);
  while (from > 0 && from < bytes.length && isContinuation(bytes.readUInt8(from))) from += 1;
  return bytes.toString("utf8", from);
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

function isLowSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xdc00 && codeUnit <= 0xdfff;
}

function countLines(text: string): number {
  let count = 0;
  for (const _line of textLines(text)) count += 1;
  return count;
}

const MAX_DEPTH = 3;
const MAX_KEYS = 12;
const MAX_KEY_CHARS = 40;
const MAX_SHAPE_CHARS = 400;

/**
 * The shape of a JSON text, in one short line such as `{kind: string, items: [300 × {metadata, spec}]}`; null for any other
 * text and for one that is a single value.
 */
function jsonShape(text: string): string | null {
  if (!/^\s*[[{]/u.test(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const shape = describe(value, 1);
  return shape.length <= MAX_SHAPE_CHARS ? shape : `${shape.slice(0, MAX_SHAPE_CHARS).toWellFormed()}…`;
}

function describe(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return depth > MAX_DEPTH ? `[${value.length}]` : `[${value.length} × ${describe(value[0], depth + 1)}]`;
  }
  if (typeof value !== "object") return typeof value;
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, inner]) =>
      depth >= MAX_DEPTH ? shorten(key) : `${shorten(key)}: ${describe(inner, depth + 1)}`,
    );
  if (entries.length > MAX_KEYS) shown.push(`… ${entries.length - MAX_KEYS} more`);
  return `{${shown.join(", ")}}`;
}

function shorten(key: string): string {
  const line = key.replaceAll(/\s+/gu, " ");
  return line.length > MAX_KEY_CHARS ? `${line.slice(0, MAX_KEY_CHARS).toWellFormed()}…` : line;
}
