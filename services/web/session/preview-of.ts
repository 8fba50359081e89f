import { safeCut } from "#shared/safe-cut.ts";
import { shownText } from "./shown-text.ts";

const PREVIEW = 240;

/** The marks of Markdown in a line: what they mean cannot be shown in one. */
const MARKS: readonly (readonly [mark: RegExp, plain: string])[] = [
  [/!?\[(?<text>[^\]]*)\]\([^)]*\)/gu, "$<text>"],
  [/(?<mark>\*\*|__)(?<text>\S.*?)\k<mark>/gu, "$<text>"],
  [/`(?<text>[^`]+)`/gu, "$<text>"],
];

/** The beginning of a text in one line, without marks of Markdown; behind a heading stands a colon. */
export function previewOf(text: string): string {
  const start = text.slice(0, 4 * PREVIEW);
  const lines = start.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line));
  const plain = lines.map(plainLine).join(" ");
  return shownText(plain.slice(0, safeCut(plain, PREVIEW)));
}

function plainLine(line: string, index: number, { length }: readonly string[]): string {
  const isHeading = /^\s*#/u.test(line) && index + 1 < length;
  const bare = line.replace(/^[\s#>|-]+/u, "").trimEnd();
  const plain = MARKS.reduce((kept, [mark, to]) => kept.replaceAll(mark, to), bare);
  return isHeading ? `${plain}:` : plain;
}
