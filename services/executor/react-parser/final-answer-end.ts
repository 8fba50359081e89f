import { scanHeader, headerValue, type Header } from "./scan-header.ts";

/**
 * The index of the line after a final answer that starts on line `start`. Only a complete action on separate lines,
 * with the thought before it, ends the answer; all other lines belong to it, those with markers included.
 */
export function finalAnswerEnd(lines: readonly string[], start: number): number {
  let lastHeader: { line: number; header: Header } | undefined;
  for (let at = start + 1; at < lines.length; at += 1) {
    const header = strongHeader(lines[at]);
    if (header === undefined) continue;
    if (startsCompleteAction(lines, at)) {
      return lastHeader?.header.name === "Thought" ? lastHeader.line : at;
    }
    lastHeader = { line: at, header };
  }
  return lines.length;
}

/**
 * True if line `at` is an Action header, the tool's name is on that line or the next, and the next non-empty line
 * after the name is an Action Input header.
 */
export function startsCompleteAction(lines: readonly string[], at: number): boolean {
  const header = strongHeader(lines[at]);
  if (header?.name !== "Action") return false;
  let next = nextNonEmpty(lines, at + 1);
  if (headerValue(lines[at]?.trim() ?? "", header) === "") {
    if (strongHeader(lines[next]) !== undefined) return false;
    next = nextNonEmpty(lines, next + 1);
  }
  return strongHeader(lines[next])?.name === "Action Input";
}

/** The header of a line, unless it is weak. */
function strongHeader(line: string | undefined): Header | undefined {
  const header = line === undefined ? undefined : scanHeader(line.trim(), true);
  return header === undefined || header === "partial" || header.weak ? undefined : header;
}

function nextNonEmpty(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === "") at += 1;
  return at;
}
