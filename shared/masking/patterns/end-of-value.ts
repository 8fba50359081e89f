const SPACE = /\s/u;
/** Behind a character that may separate pairs: the name of the next pair, or the end of a sentence or list. */
const NEXT_PAIR = /^(?:\s|$|[A-Za-z_][\w.-]{0,60}(?: [\w.-]{1,30})?["']?[ \t]{0,3}[:=])/u;
/** Behind a space in the line of a variable. */
const NEXT_IN_LINE = /^(?:[A-Za-z_][\w.-]{0,60}=|&&|\|\||[|#>])/u;
const TAG = /^<\/?[A-Za-z!][^<>\n]{0,200}>/u;
/** The text that may follow the quote that ends the text around a pair. */
const AFTER_QUOTE = /^(?:$|[\s,;)\]}>:.'"\\])/u;
/** A template, a remark in brackets or a value in braces, which may have spaces. */
const BRACKETED =
  /^(?:\$?\{\{[^{}\n]{0,200}\}\}|\$?\{[^{}\n]{0,200}\}|\$?\([^()\n]{0,200}\)|<[^<>\n]{0,200}>)(?=$|[\s,;&|"']|\\[nrt])/u;
const LOOK_AHEAD = 220;

type ValueForm = "word" | "pair" | "line";

/**
 * The end of the value that begins at `start`. In a `pair`, a comma, semicolon or ampersand ends it only if another pair
 * follows, because passwords have such characters; a `word` ends at white space, too; a `line` goes on to the end of the line,
 * unless another pair or command follows. The time is proportional to the value.
 */
export function endOfValue(text: string, start: number, form: ValueForm): number {
  let at = start;
  if (text.startsWith('\\"', at)) return endOfEscaped(text, at + 2);
  const bracketed = BRACKETED.exec(ahead(text, at))?.[0];
  if (bracketed !== undefined) return at + bracketed.length;
  for (;;) {
    const char = text[at];
    if (char === undefined || char === "\n" || char === "\0") return trimmedEnd(text, start, at);
    if (char === '"' || char === "'") {
      const { next, isEnd } = passQuote(text, start, at, form);
      if (isEnd) return next;
      at = next;
    } else {
      if (endsAt(text, at, char, form)) return trimmedEnd(text, start, at);
      at += 1;
    }
  }
}

/** A quote opens a part of the value at its beginning and behind another quote; elsewhere it may end the text around. */
function passQuote(
  text: string,
  start: number,
  at: number,
  form: ValueForm,
): { readonly next: number; readonly isEnd: boolean } {
  const isOpening = at === start || isQuote(text[at - 1]);
  const closing = isOpening ? endOfQuoted(text, at, text.charAt(at)) : undefined;
  // A shell joins what stands side by side: 'a'"'"'b'.
  if (closing !== undefined) return { next: closing, isEnd: form !== "line" || !isQuote(text[closing]) };
  if (at === start) return { next: endOfLine(text, at), isEnd: true };
  return AFTER_QUOTE.test(ahead(text, at + 1)) ? { next: at, isEnd: true } : { next: at + 1, isEnd: false };
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'";
}

function endsAt(text: string, at: number, char: string, form: ValueForm): boolean {
  if (SPACE.test(char)) return form !== "line" || NEXT_IN_LINE.test(ahead(text, at + 1));
  switch (char) {
    case "\\":
      return /[nrt"]/u.test(text[at + 1] ?? "");
    case ",":
    case ";":
    case "&":
    case "|":
      return NEXT_PAIR.test(ahead(text, at + 1));
    case "<":
      return TAG.test(ahead(text, at));
    default:
      return char === ">";
  }
}

/** Behind the quote that closes the one at `start`; undefined if its line ends before. */
function endOfQuoted(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; ; at += 1) {
    const char = text[at];
    if (char === undefined || char === "\n") return undefined;
    if (char === "\\" && quote === '"' && text[at + 1] !== "\n") at += 1;
    else if (char === quote) return at + 1;
  }
}

/** The end of a value in escaped quotes, within a string of JSON. */
function endOfEscaped(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    const char = text[at];
    if (char === undefined || char === "\n" || char === '"' || char === "\\") return at;
  }
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  return feed === -1 ? text.length : feed;
}

function trimmedEnd(text: string, start: number, from: number): number {
  let end = from;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return end;
}

function ahead(text: string, at: number): string {
  return text.slice(at, at + LOOK_AHEAD);
}
