const WORD = 0;
const MARK = 1;
const SPACE = 2;
const END_MARK = 3;

const KINDS = new Uint8Array(128);
KINDS.fill(SPACE, 0, 0x21);
KINDS[0x7f] = SPACE;
for (const mark of "\"'`*{}[]();|<>=:,\\") KINDS[mark.charCodeAt(0)] = MARK;
for (const mark of ".!?") KINDS[mark.charCodeAt(0)] = END_MARK;

const [LINE_FEED, TAB, BLANK, BAR, COMMA, DOT, BACKSLASH, OPEN] = [10, 9, 32, 124, 44, 46, 92, 91] as const;
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
const NEW_LINE = FIRST_OF_LINE | FIRST_OF_CELL;

/** Takes the words of a text, in order. */
export interface WordSink {
  readonly startLine: (offset: number) => void;
  readonly addWord: (start: number, end: number, flags: number) => void;
}

/**
 * Divides a plain text into words. White space, quotation marks, brackets, separators and their escapes in JSON divide words and
 * count for nothing, as do full stops at the end of a word. An escaped line break begins a line, too, for the flags alone.
 */
export function divideWords(text: string, { startLine, addWord }: WordSink): void {
  let flags = NEW_LINE;
  let blanks = 0;
  startLine(0);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const isMasked = code === OPEN;
    const end = isMasked ? endOfMasked(text, at) : endOfWord(text, at);
    if (end === at) {
      blanks = code === BLANK ? blanks + 1 : 0;
      at = code === BACKSLASH ? endOfEscape(text, at) : at + 1;
      if (code === LINE_FEED) startLine(at);
      flags |= blanks > 1 ? FIRST_OF_CELL : flagsBehind(code, text.charCodeAt(at - 1));
      continue;
    }
    const last = isMasked ? end : withoutEndMarks(text, at, end);
    if (last > at) {
      addWord(at, last, flags | kindOfWord(text, at, last));
      flags = 0;
    }
    blanks = 0;
    at = end;
  }
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

function kindOfWord(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) === OPEN) return IS_MASKED;
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) === COMMA) return HAS_SEPARATORS;
  return 0;
}

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? WORD) : WORD;
}

function isEllipsis(text: string, at: number): boolean {
  const isDot = (offset: number) => text.charCodeAt(offset) === DOT;
  return (
    isDot(at) && ((isDot(at + 1) && (isDot(at + 2) || isDot(at - 1))) || (isDot(at - 1) && isDot(at - 2)))
  );
}

function endOfWord(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      const end = endOfThousands(text, start, at);
      if (end === at) return at;
      at = end - 1;
    } else {
      const kind = kindOf(code);
      if (kind === MARK || kind === SPACE || (code === DOT && isEllipsis(text, at))) return at;
    }
  }
  return at;
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

function endOfMasked(text: string, at: number): number {
  MASKED.lastIndex = at;
  return MASKED.test(text) ? MASKED.lastIndex : at;
}

function withoutEndMarks(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && kindOf(text.charCodeAt(last - 1)) === END_MARK) last -= 1;
  return last;
}
