import type { MaskContext } from "#shared/masking/mask-context.ts";
import { isHarmlessValue, secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { Words } from "#shared/masking/words.ts";

/** The columns of rows that follow: `INSERT INTO t (a, b) VALUES`, `COPY t (a, b) FROM stdin;`. */
const ROWS =
  /\b(?:insert\s{1,3}(?:ignore\s{1,3})?into|replace\s{1,3}into|merge\s{1,3}into|copy)\s{1,3}[^\s()]{1,200}\s{0,3}\(([^()]{1,4000})\)\s{0,20}(?:overriding\s\w{1,10}\svalue\s{1,3})?(values|from\s{1,3}stdin[^\n]{0,200}\n)/gi;
const BEGINNINGS = new Words("insert", "replace", "merge", "copy");
/** The separator of the next row or value, with white space, also where a string of JSON has it escaped. */
const SPACE = String.raw`(?:\s|\\[nrt])`;
const OPEN = new RegExp(String.raw`${SPACE}{0,100},?${SPACE}{0,100}(?:row${SPACE}?)?\(`, "iy");
/** A value of a row: a string in quotes, a call, or anything else up to the next comma. */
const VALUE = new RegExp(
  String.raw`${SPACE}{0,100}((?:[A-Za-z_]\w{0,20})?\\?'(?:[^'\\]|''|\\[^'\n]|\\'(?=[^,)]))*\\?'|\\?"(?:[^"\\\n]|""|\\[^"\n])*\\?"|[A-Za-z_]\w{0,60}\((?:[^()]|\([^()]{0,500}\)){0,2000}\)|[^,()'"]{0,2000})${SPACE}{0,100}([,)])`,
  "y",
);
/** Masks secrets that SQL has by their place: in rows behind a list of columns. Takes time proportional to the text. */
export function maskSqlRows(text: string, context: MaskContext): string {
  if (!BEGINNINGS.test(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  const replace = (start: number, end: number, kind: SecretKind) => {
    const value = text.slice(start, end);
    if (isHarmlessValue(value, kind) || value.includes("[MASKED_")) return;
    parts.push(text.slice(copied, start), context.mask(value, kind));
    copied = end;
  };
  ROWS.lastIndex = 0;
  for (let found = ROWS.exec(text); found !== null; found = ROWS.exec(text)) {
    const [, columns = "", form = ""] = found;
    const kinds = columns.split(",").map((name) => secretNameKind(name.replaceAll(/["'`[\]\\\s]/gu, "")));
    if (kinds.every((kind) => kind === undefined)) continue;
    ROWS.lastIndex = /^from/iu.test(form)
      ? maskLines(text, ROWS.lastIndex, kinds, replace)
      : maskTuples(text, ROWS.lastIndex, kinds, context, replace);
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

type Replace = (start: number, end: number, kind: SecretKind) => void;
type Kinds = readonly (SecretKind | undefined)[];

/** `(1, 'a'), (2, 'b')`; returns where they end. */
function maskTuples(
  text: string,
  from: number,
  kinds: Kinds,
  context: MaskContext,
  replace: Replace,
): number {
  let at = from;
  for (;;) {
    OPEN.lastIndex = at;
    if (OPEN.exec(text) === null) return at;
    at = OPEN.lastIndex;
    for (let column = 0; ; column += 1) {
      context.step();
      VALUE.lastIndex = at;
      const found = VALUE.exec(text);
      if (found === null) return at;
      const [whole, value = "", separator = ""] = found;
      at = VALUE.lastIndex;
      const kind = kinds[column];
      if (kind !== undefined) {
        const start = found.index + whole.indexOf(value);
        const quote = /^(?:[A-Za-z_]\w{0,20})?\\?["']/u.exec(value)?.[0] ?? "";
        const closing = quote === "" ? 0 : quote.includes("\\") ? 2 : 1;
        replace(start + quote.length, start + value.length - closing, kind);
      }
      if (separator === ")") break;
    }
  }
}

/** Lines with tabs between the columns, up to `\.`. */
function maskLines(text: string, from: number, kinds: Kinds, replace: Replace): number {
  for (let at = from; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(at, end);
    if (line.startsWith("\\.") || line.trim() === "") return end;
    let start = at;
    for (const [column, cell] of line.split("\t").entries()) {
      const kind = kinds[column];
      if (kind !== undefined && cell !== "\\N") replace(start, start + cell.length, kind);
      start += cell.length + 1;
    }
    at = end + 1;
  }
  return text.length;
}
