/** The name in a section's marker, as `reactFormatGuide` prescribes it. */
export type MarkerName = "Final Answer" | "Thought" | "Action Input" | "Action" | "Observation";

/** A marker found at the start of a line or, by `findMidline`, inside one. */
export interface Header {
  readonly name: MarkerName;
  /** The offset of the section's text in the scanned line. */
  readonly valueAt: number;
  /** Emphasis that was opened before the marker and not closed before its colon, as in `**Action:** x`. */
  readonly openEmphasis: string;
  /** True for a marker after a plain list number, which may be a list item; a header that is not weak is strong. */
  readonly weak: boolean;
}

/** If one name is a prefix of another, the longer one comes first. */
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
 * Finds a section's marker at the start of `line`, which must not start with whitespace: `Action:`, or one with
 * markdown around it (`**Action:**`, `**Action**:`, `### Action:`, `- **Action:**`, `2. Action:`). A heading, an
 * emphasised marker and a bare `Thought` need no colon if nothing else is on the line.
 * Returns undefined for any other line, and "partial" if `complete` is false and the line may still become a header.
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
    return { name, valueAt: closed, openEmphasis: "", weak };
  }
  if (line[closed] !== ":") return undefined;
  return { name, valueAt: closed + 1, openEmphasis: isClosed ? "" : emphasis, weak };
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
 * The text after a header on the same line, without the emphasis that closes the marker, directly after it
 * (`**Action:** x`) or at the end of the line (`**Action: x**`).
 */
export function headerValue(line: string, header: Header): string {
  const value = line.slice(header.valueAt).trim();
  const { openEmphasis } = header;
  if (openEmphasis === "") return value;
  if (value.startsWith(openEmphasis)) return value.slice(openEmphasis.length).trimStart();
  // An even number of them is emphasis inside the value.
  const closesHeader = value.endsWith(openEmphasis) && value.split(openEmphasis).length % 2 === 0;
  return closesHeader ? value.slice(0, -openEmphasis.length).trimEnd() : value;
}

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

/** How a model begins to invent a tool result it has not seen. The text is read only up to a line with this prefix. */
export const BASED_ON = "[Based on";

/** Phrases of earlier feedback. A model that quotes them is not inventing an observation. */
const QUOTED_FEEDBACK = ["Please specify", "what Action you want to take", "Error in reasoning"];

/**
 * True if a line with an `Observation:` marker only quotes feedback; it then is ordinary text. Any other such line is
 * an invented observation and ends the text, as `BASED_ON` does.
 */
export function quotesFeedback(line: string): boolean {
  return QUOTED_FEEDBACK.some((phrase) => line.includes(phrase));
}
