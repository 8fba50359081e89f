/** The levels of a body or a message: no source of alerts sends more than ten. */
const MAX_LEVELS = 100;

/**
 * The value of a JSON text from outside. What comes after the parser walks a value by calling itself, which ends at some thousand levels.
 * Throws SyntaxError for what is no JSON, and RangeError for more than `levels`, which the message names.
 */
export function parseJson(text: string, levels = MAX_LEVELS): unknown {
  if (isDeeper(text, levels)) {
    throw new RangeError(`JSON may be nested ${levels} levels deep here, and this is deeper`);
  }
  const value: unknown = JSON.parse(text);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside of strings, in one pass. What is no JSON may be counted wrongly. */
function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
      continue;
    }
    // The codes of `[` and `{`, and of `]` and `}`, differ in one bit.
    const bracket = code & ~0x20;
    if (bracket === 0x5b) depth += 1;
    else if (bracket === 0x5d) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** The offset of the closing quote; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - 1 - escapes >= start && text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
