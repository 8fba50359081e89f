import { scanHeader, headerValue, type Header } from "./scan-header.ts";

/**
 * The line at which a final answer that starts on line `start` ends: it is cut only by a complete action on lines of
 * its own, or by the thought that leads to one. Everything else it contains, markers included, belongs to it.
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
 * True where line `at` is an Action header with a name, on its line or on the next, and the next line after that
 * with text is an Action Input header.
 */
export function startsCompleteAction(lines: readonly string[], at: number): boolean {
  const header = strongHeader(lines[at]);
  if (header?.name !== "Action") return false;
  let next = nextWithText(lines, at + 1);
  if (headerValue(lines[at]?.trim() ?? "", header) === "") {
    if (strongHeader(lines[next]) !== undefined) return false;
    next = nextWithText(lines, next + 1);
  }
  return strongHeader(lines[next])?.name === "Action Input";
}

/** The header of a line that stands there by itself, not as a numbered item. */
function strongHeader(line: string | undefined): Header | undefined {
  const header = line === undefined ? undefined : scanHeader(line.trim(), true);
  return header === undefined || header === "partial" || header.weak ? undefined : header;
}

function nextWithText(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === "") at += 1;
  return at;
}
