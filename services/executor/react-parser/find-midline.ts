import type { Header, MarkerName } from "./scan-header.ts";

/** A marker inside a line, behind the end of a sentence. */
export interface Midline extends Header {
  /** Where the sentence before it ends, its punctuation mark included. */
  readonly textEnd: number;
}

/** True for what may stand between the end of a sentence and a marker on the same line. */
export function isBoundaryFiller(char: string): boolean {
  return char === " " || char === "*" || char === "`" || char.trim() === "";
}

/** True for the marks that end a sentence; a colon or an ellipsis character does not. */
export function endsSentence(char: string): boolean {
  return char === "." || char === "!" || char === "?";
}

/**
 * The first `name:` in `line`, at or behind `from`, that follows the end of a sentence. Linear: the fillers before
 * one candidate end at the candidate before it.
 */
export function findMidline(line: string, name: MarkerName, from: number): Midline | undefined {
  for (let at = line.indexOf(name, from); at !== -1; at = line.indexOf(name, at + name.length)) {
    const colon = colonBehind(line, at + name.length);
    if (colon === -1) continue;
    let before = at - 1;
    while (before >= from && isBoundaryFiller(line.charAt(before))) before -= 1;
    if (before < from || !endsSentence(line.charAt(before))) continue;
    const open = colon === at + name.length ? emphasisBefore(line, at, before) : "";
    return { name, valueAt: colon + 1, open, weak: false, textEnd: before + 1 };
  }
  return undefined;
}

/** The emphasis right before `at` that a midline marker opened. */
function emphasisBefore(line: string, at: number, limit: number): string {
  let start = at;
  while (start - 1 > limit && at - start < 3 && "*`".includes(line.charAt(start - 1))) start -= 1;
  return line.slice(start, at);
}

function colonBehind(line: string, from: number): number {
  let at = from;
  while (at - from < 3 && "*_`".includes(line.charAt(at)) && at < line.length) at += 1;
  return line[at] === ":" ? at : -1;
}
