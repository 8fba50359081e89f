/** A section's marker, as the model is told to write it. */
export type MarkerName = "Final Answer" | "Thought" | "Action Input" | "Action" | "Observation";

/** A marker found at the start of a line or, by `findMidline`, inside one. */
export interface Header {
  readonly name: MarkerName;
  /** Where the section's text starts in the scanned line. */
  readonly valueAt: number;
  /** Emphasis that was opened before the marker and not closed after it, as in `**Action:** x`. */
  readonly open: string;
  /** True for a marker behind a plain list number: in free text it may be an item of a list. */
  readonly weak: boolean;
}

/** Longest first where one name starts another. */
const NAMES: readonly MarkerName[] = ["Final Answer", "Thought", "Action Input", "Action", "Observation"];
const MAX_EMPHASIS = 3;
const MAX_HEADING = 6;
const MAX_DIGITS = 3;
const MAX_SPACES = 8;
const EMPHASIS = "*_`";
const BULLETS = "-+*•";

interface Decoration {
  readonly at: number;
  readonly heading: boolean;
  readonly numbered: boolean;
  readonly bullet: boolean;
  readonly emphasis: string;
}

/**
 * Looks for a section's marker at the start of `line`, which must not start with whitespace: `Action:`, and with
 * markdown around it (`**Action:**`, `**Action**:`, `### Action:`, `- **Action:**`, `2. Action:`). A heading, an
 * emphasised marker and a bare `Thought` do without a colon if nothing else is on the line.
 * Returns undefined for anything else; where `complete` is false and the line may still become a header, "partial".
 */
export function scanHeader(line: string, complete: boolean): Header | "partial" | undefined {
  const decoration = scanDecoration(line);
  const undecided = complete ? undefined : "partial";
  if (decoration === undefined) return undefined;
  if (decoration.at >= line.length) return undecided;
  const { heading, bullet, emphasis } = decoration;
  if (bullet && !heading && emphasis === "") return undefined;
  let partial = false;
  for (const name of NAMES) {
    const rest = line.slice(decoration.at, decoration.at + name.length);
    if (rest === name) {
      const header = scanTail(line, decoration, name, complete);
      if (header === "partial") partial = true;
      else if (header !== undefined) return header;
    } else if (decoration.at + rest.length === line.length && name.startsWith(rest)) partial = true;
  }
  return partial ? undecided : undefined;
}

function scanTail(line: string, decoration: Decoration, name: MarkerName, complete: boolean) {
  const { heading, numbered, emphasis } = decoration;
  const nameEnd = decoration.at + name.length;
  const closed = emphasis === "" ? nameEnd : skip(line, nameEnd, EMPHASIS, MAX_EMPHASIS);
  const isClosed = closed > nameEnd;
  const weak = numbered && !heading && emphasis === "";
  if (closed === line.length) {
    if (!complete) return "partial";
    const bareThought = name === "Thought" && line === "Thought";
    if (!heading && !isClosed && !bareThought) return undefined;
    return { name, valueAt: closed, open: "", weak };
  }
  if (line[closed] !== ":") return undefined;
  return { name, valueAt: closed + 1, open: isClosed ? "" : emphasis, weak };
}

function scanDecoration(line: string): Decoration | undefined {
  const headingEnd = skip(line, 0, "#", MAX_HEADING);
  let at = skip(line, headingEnd, " ", MAX_SPACES);
  let bullet = false;
  let numbered = false;
  const digitsEnd = skip(line, at, "0123456789", MAX_DIGITS);
  if (digitsEnd > at && (line[digitsEnd] === "." || line[digitsEnd] === ")")) {
    numbered = true;
    at = skip(line, digitsEnd + 1, " ", MAX_SPACES);
  } else if (at < line.length && BULLETS.includes(line.charAt(at)) && line[at + 1] === " ") {
    bullet = true;
    at = skip(line, at + 1, " ", MAX_SPACES);
  } else if (digitsEnd > at) {
    if (digitsEnd < line.length) return undefined;
    at = digitsEnd;
  }
  const emphasisEnd = skip(line, at, EMPHASIS, MAX_EMPHASIS);
  const emphasis = line.slice(at, emphasisEnd);
  if (emphasis !== "") at = skip(line, emphasisEnd, " ", 1);
  return { at, heading: headingEnd > 0, numbered, bullet, emphasis };
}

function skip(line: string, from: number, set: string, max: number): number {
  let at = from;
  while (at < line.length && at - from < max && set.includes(line.charAt(at))) at += 1;
  return at;
}

/**
 * The text behind a header on its own line, without the emphasis that closes the marker, right behind it
 * (`**Action:** x`) or at the end of the line (`**Action: x**`).
 */
export function headerValue(line: string, header: Header): string {
  const value = line.slice(header.valueAt).trim();
  const { open } = header;
  if (open === "") return value;
  if (value.startsWith(open)) return value.slice(open.length).trimStart();
  // An even number of them belongs to the value's own words.
  const closesHeader = value.endsWith(open) && value.split(open).length % 2 === 0;
  return closesHeader ? value.slice(0, -open.length).trimEnd() : value;
}
