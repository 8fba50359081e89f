/** Names of tags: what else stands in angle brackets may be a part of the text. */
const TAG =
  /<(?:\/?(?:html|body|p|br|div|span|b|i|u|s|em|strong|a|h[1-6]|[uo]l|li|table|t[rdh]|thead|tbody|img|pre|code|font|hr|title|meta|link|blockquote|small|su[pb]|center|section|header|footer|main|article|!doctype)\b[^>]*|\?xml[^>]*|!--[\s\S]*?--)>/giu;
const HIDDEN = /<(?<tag>script|style)\b[\s\S]*?(?:<\/\k<tag>\s*>|$)/giu;
const BREAK = /^<\/?(?:p|br|div|h[1-6]|[uo]l|li|table|tr|hr|title|blockquote|pre|header|section)\b/iu;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
const MAX_CODE_POINT = 0x10ffff;

/** The first line that says something, without the marks of HTML, Markdown and terminals; empty if there is none. */
export function plainLine(text: string): string {
  for (const line of withoutTags(text.replaceAll(ANSI, "")).split(/[\r\n\u2028\u2029]/u)) {
    const plain = withoutMarks(line)
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim();
    if (/[\p{L}\p{N}]/u.test(plain)) return plain;
  }
  return "";
}

const ANSI = /\p{Cc}\[[\d;]*[A-Za-z]/gu;

function withoutTags(text: string): string {
  const visible = text.replaceAll(HIDDEN, "");
  const plain = visible.replaceAll(TAG, (tag) => (BREAK.test(tag) ? "\n" : ""));
  return plain === text ? text : plain.replaceAll(/&(?:#(?<number>x?[\da-f]+)|(?<name>\w+));/giu, entity);
}

function entity(whole: string, ...rest: unknown[]): string {
  const [number, name] = rest;
  if (typeof name === "string") return ENTITIES[name.toLowerCase()] ?? whole;
  const digits = String(number);
  const code = /^x/iu.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  return Number.isInteger(code) && code <= MAX_CODE_POINT ? String.fromCodePoint(code).toWellFormed() : whole;
}

/** The text without the beginnings of lines in Markdown, emphasis, links, and the links and mentions of Slack. */
function withoutMarks(line: string): string {
  return line
    .replace(/^\s*(?:```\w*\s*$|(?:#{1,6}|>|[-*+])\s+)+/u, "")
    .replaceAll(/!?\[(?<text>[^[\]]*)\]\([^()\s]*\)/gu, "$<text>")
    .replaceAll(/<(?:https?|mailto):[^\s<>|]*\|(?<text>[^<>]*)>/gu, "$<text>")
    .replaceAll(/<!(?:here|channel|everyone)>/gu, "")
    .replaceAll(/(?<mark>\*\*|__|~~)(?<text>\S(?:.*?\S)?)\k<mark>/gu, "$<text>")
    .replaceAll(
      /(?<![\p{L}\p{N}*_])(?<mark>[*_])(?<text>\S(?:[^*_]*\S)?)\k<mark>(?![\p{L}\p{N}*_])/gu,
      "$<text>",
    )
    .replaceAll(/`(?<text>[^`]*)`/gu, "$<text>");
}
