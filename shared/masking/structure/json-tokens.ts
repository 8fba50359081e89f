/** A token of JSON: a bracket, `:` or `,` as itself, or a scalar with the place of its text, without the quotes. */
export interface JsonToken {
  readonly type: "{" | "}" | "[" | "]" | ":" | "," | "string" | "bare";
  /** The quote of a string. */
  readonly quote: string;
  readonly start: number;
  readonly end: number;
  /** The offset at which the next token begins. */
  readonly next: number;
  /** False for a string that the end of the text or of its line cut off. */
  readonly isClosed: boolean;
}

const BRACKETS = new Set(["{", "}", "[", "]", ":", ","]);
const PREFIXES = new Set(["b", "u", "r"]);
/** An unquoted value runs to white space, a comma, a bracket or a quote. */
const VALUE = /[^\s,[\]{}"']+/y;
/** An unquoted key ends at its colon, too. */
const KEY = /[^\s,:[\]{}"']+/y;
/** White space, and what is written for people: comments that end before other lines, and dots for what is left out. */
const SPACE = /(?:\s|(?:\/\/|#)[^\n]{0,300}\n|\/\*(?:[^*]|\*(?!\/)){0,200}\*\/|\.{3}|\u2026)*/y;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/**
 * The token at or after `at`; undefined at the end of the text. More than JSON is accepted, because tools also print what
 * only resembles it: strings in single quotes, and keys and values without quotes. Before `apostrophesBefore`, a single quote
 * opens no string.
 */
export function readJsonToken(
  text: string,
  at: number,
  expected: "key" | "value",
  apostrophesBefore: number,
): JsonToken | undefined {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  const start = SPACE.lastIndex;
  const char = text[start];
  if (char === undefined) return undefined;
  if (char === '"' || (char === "'" && start >= apostrophesBefore)) return readString(text, start, char);
  // A string of bytes, as Python prints it.
  const next = text[start + 1];
  if (PREFIXES.has(char) && (next === '"' || (next === "'" && start + 1 >= apostrophesBefore))) {
    return readString(text, start + 1, next);
  }
  if (isBracket(char)) {
    return { type: char, quote: "", start, end: start + 1, next: start + 1, isClosed: true };
  }
  const bare = expected === "key" ? KEY : VALUE;
  bare.lastIndex = start;
  bare.exec(text);
  const end = Math.max(bare.lastIndex, start + 1);
  return { type: "bare", quote: "", start, end, next: end, isClosed: true };
}

function readString(text: string, start: number, quote: '"' | "'"): JsonToken {
  // A loop: an expression would need memory for each escape of a long string.
  const closing = quote.charCodeAt(0);
  let end = start + 1;
  for (let code = text.charCodeAt(end); end < text.length && code !== closing && code !== LINE_FEED;) {
    end += code === BACKSLASH && text.charCodeAt(end + 1) !== LINE_FEED ? 2 : 1;
    code = text.charCodeAt(end);
  }
  end = Math.min(end, text.length);
  const isClosed = text[end] === quote;
  return { type: "string", quote, start: start + 1, end, next: isClosed ? end + 1 : end, isClosed };
}

function isBracket(char: string): char is "{" | "}" | "[" | "]" | ":" | "," {
  return BRACKETS.has(char);
}
