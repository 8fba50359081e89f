/** Kinds of characters; from MARK on they divide. */
const [WORD, END_MARK, MARK, SPACE] = [0, 1, 2, 3] as const;

const KINDS = new Uint8Array(128);
KINDS.fill(SPACE, 0, 0x21);
KINDS[0x7f] = SPACE;
for (const mark of "\"'`*{}[]();|<>=:,\\") KINDS[mark.charCodeAt(0)] = MARK;
for (const mark of ".!?") KINDS[mark.charCodeAt(0)] = END_MARK;

const [LINE_FEED, TAB, BLANK, BAR, COMMA, DOT, BACKSLASH, OPEN] = [10, 9, 32, 124, 44, 46, 92, 91] as const;
const STAR = 42;
/** Around a `*` that stands for everything, as in `verbs: ["*"]` and `0 0 * * *`. */
const [BEFORE_STAR, BEHIND_STAR] = [/^[\s"'[,]$/u, /^[\s"'\],]?$/u];
/** Letters behind a backslash that stand for white space. */
const [N, R, T] = [110, 114, 116] as const;
const MASKED = /\[MASKED_[A-Z0-9_]{1,40}(?::[0-9a-f]{6})?\]/y;
/** Behind one to three digits. */
const THOUSANDS = /(?:,\d{3})+(?!\d|,\d)/y;
const BEFORE_THOUSANDS = /^[+\-$]?\d{1,3}$/;

/** The word is the first one of its line. */
export const FIRST_OF_LINE = 1;
/** The word is the first one of a cell of a table: behind a tab, a bar or two spaces. */
export const FIRST_OF_CELL = 2;
/** The word is the placeholder of a masked value. */
export const IS_MASKED = 4;
/** The word is a number with thousands separators. */
export const HAS_SEPARATORS = 8;
/** The word is a unit that stands right behind its number: `95%` and `95 %` are the same words. */
export const IS_UNIT = 16;
/** Their last characters are compared before. */
const WITH_UNIT = /^[+-]?\d[\d.,]*(?:-\d[\d.,]*)?(?=(?:%|[KMGTPE]i?B|kB|ms)$)/u;
const MAX_WITH_UNIT = 32;
const NEW_LINE = FIRST_OF_LINE | FIRST_OF_CELL;

/** Takes the words of a text, in order. The hash is that of the word in lower case. */
export interface WordSink {
  readonly startLine: (offset: number) => void;
  readonly addWord: (start: number, end: number, hash: number, flags: number) => void;
}

/**
 * Divides a plain text into words. White space, quotation marks, brackets, separators and their escapes in JSON divide words and
 * count for nothing, as do full stops at the end of a word. An escaped line break begins a line, too, for the flags alone.
 */
export function divideWords(text: string, { startLine, addWord }: WordSink): void {
  let flags = NEW_LINE;
  let blanks = 0;
  const add = (start: number, end: number, hash: number, kind: number) => {
    addWord(start, end, hash, flags | kind);
    flags = 0;
  };
  startLine(0);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (KINDS[code] ?? WORD) : WORD;
    const end = kind < MARK ? takeWord(text, at, add) : takeMark(text, at, flags, add);
    if (end > at) {
      blanks = 0;
      at = end;
      continue;
    }
    blanks = code === BLANK ? blanks + 1 : 0;
    at = code === BACKSLASH ? endOfEscape(text, at) : at + 1;
    if (code === LINE_FEED) startLine(at);
    flags |= blanks > 1 ? FIRST_OF_CELL : flagsBehind(code, text.charCodeAt(at - 1));
  }
}

type Add = (start: number, end: number, hash: number, kind: number) => void;

/** Adds the word at `start` without the marks at its end, and returns its end; `start` if it is an ellipsis. */
function takeWord(text: string, start: number, add: Add): number {
  let [at, last, hash, lastHash, kind, isPlain] = [start, start, NO_HASH, NO_HASH, 0, true];
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kindOf = code < 128 ? KINDS[code] : WORD;
    if (kindOf === END_MARK) {
      if (code === DOT && isEllipsis(text, at)) break;
      hash = mix(hash, code);
      continue;
    }
    if (kindOf !== WORD) {
      const end = code === COMMA ? endOfThousands(text, start, at) : at;
      if (end === at) break;
      kind = HAS_SEPARATORS;
      at = end - 1;
    }
    isPlain &&= code < 128;
    hash = mix(hash, code >= 65 && code <= 90 ? code + 32 : code);
    last = at + 1;
    lastHash = hash;
  }
  if (last > start) {
    const unit = unitIn(text, start, last);
    const isLiteral = isPlain && kind === 0 && unit === last;
    add(start, unit, isLiteral ? lastHash : hashOf(text.slice(start, unit).replaceAll(",", "")), kind);
    if (unit < last) add(unit, last, hashOf(text.slice(unit, last)), IS_UNIT);
  }
  return at;
}

/** Adds the word that begins with a mark, and returns its end; `at` if none does. */
function takeMark(text: string, at: number, flags: number, add: Add): number {
  const code = text.charCodeAt(at);
  if (code === OPEN) return takeMasked(text, at, add);
  // At the beginning of a line it is the mark of a list.
  if (code !== STAR || (flags & FIRST_OF_LINE) !== 0) return at;
  if (!BEFORE_STAR.test(text.charAt(at - 1)) || !BEHIND_STAR.test(text.charAt(at + 1))) return at;
  add(at, at + 1, hashOf("*"), 0);
  return at + 1;
}

/** Where the unit of a number begins that ends at `end`; `end` if the word is none. */
function unitIn(text: string, start: number, end: number): number {
  const last = text[end - 1];
  if ((last !== "%" && last !== "B" && last !== "s") || end - start > MAX_WITH_UNIT) return end;
  const [number] = WITH_UNIT.exec(text.slice(start, end)) ?? [];
  return number === undefined ? end : start + number.length;
}

function takeMasked(text: string, at: number, add: Add): number {
  MASKED.lastIndex = at;
  if (!MASKED.test(text)) return at;
  const end = MASKED.lastIndex;
  add(at, end, hashOf(text.slice(at, end)), IS_MASKED);
  return end;
}

/** FNV-1a begins with it. */
const NO_HASH = 0x81_1c_9d_c5;

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01_00_01_93);
}

function hashOf(word: string): number {
  const lower = word.toLowerCase();
  let hash = NO_HASH;
  for (let at = 0; at < lower.length; at += 1) hash = mix(hash, lower.charCodeAt(at));
  return hash;
}

/** The flags of a word behind a character that divides, and behind the last one of its escape. */
function flagsBehind(code: number, last: number): number {
  if (code === LINE_FEED || (code === BACKSLASH && last === N)) return NEW_LINE;
  return code === TAB || code === BAR || (code === BACKSLASH && last === T) ? FIRST_OF_CELL : 0;
}

function endOfEscape(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  return next === N || next === T || next === R ? at + 2 : at + 1;
}

function isEllipsis(text: string, at: number): boolean {
  const isDot = (offset: number) => text.charCodeAt(offset) === DOT;
  return (
    isDot(at) && ((isDot(at + 1) && (isDot(at + 2) || isDot(at - 1))) || (isDot(at - 1) && isDot(at - 2)))
  );
}

/** The end of the digits behind the comma at `at` if they are a part of one number, not of a list of numbers; else `at`. */
function endOfThousands(text: string, start: number, at: number): number {
  if (at - start > 4 || !BEFORE_THOUSANDS.test(text.slice(start, at))) return at;
  const before = text[start - 1];
  if (before === "[" || before === ",") return at;
  THOUSANDS.lastIndex = at;
  if (!THOUSANDS.test(text)) return at;
  const end = THOUSANDS.lastIndex;
  return text[end] === "]" ? at : end;
}
