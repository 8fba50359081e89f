import type { Header, MarkerName } from "./scan-header.ts";

/** A marker inside a line, after the end of a sentence. */
export interface Midline extends Header {
  /** The offset after the punctuation mark that ends the sentence before the marker. */
  readonly textEnd: number;
}

/** True for a character that may separate the end of a sentence from a marker on the same line. */
export function isFiller(char: string): boolean {
  return char === " " || char === "*" || char === "`" || char.trim() === "";
}

/** True for a character that ends a sentence; a colon or an ellipsis character does not. */
export function endsSentence(char: string): boolean {
  return char === "." || char === "!" || char === "?";
}

/**
 * The first `name:` in `line`, at or after `from`, that follows the end of a sentence. Takes linear time: the fillers
 * before a candidate never extend past the candidate before it.
 */
export function findMidline(line: string, name: MarkerName, from: number): Midline | undefined {
  for (let at = line.indexOf(name, from); at !== -1; at = line.indexOf(name, at + name.length)) {
    const colon = colonAfter(line, at + name.length);
    if (colon === -1) continue;
    let before = at - 1;
    while (before >= from && isFiller(line.charAt(before))) before -= 1;
    if (before < from || !endsSentence(line.charAt(before))) continue;
    const openEmphasis = colon === at + name.length ? emphasisBefore(line, at, before) : "";
    return { name, valueAt: colon + 1, openEmphasis, weak: false, textEnd: before + 1 };
  }
  return undefined;
}

/** The emphasis characters directly before `at`, at most three, after `limit`. */
function emphasisBefore(line: string, at: number, limit: number): string {
  let start = at;
  while (start - 1 > limit && at - start < 3 && "*`".includes(line.charAt(start - 1))) start -= 1;
  return line.slice(start, at);
}

function colonAfter(line: string, from: number): number {
  let at = from;
  while (at - from < 3 && "*_`".includes(line.charAt(at)) && at < line.length) at += 1;
  return line[at] === ":" ? at : -1;
}
