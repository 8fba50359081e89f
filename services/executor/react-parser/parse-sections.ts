import {
  findMidline,
  type Midline,
  headerValue,
  scanHeader,
  type Header,
  BASED_ON,
  quotesFeedback,
} from "./scan-header.ts";

/** The sections that a text has. */
export interface FoundSections {
  thought: boolean;
  action: boolean;
  actionInput: boolean;
  finalAnswer: boolean;
}

/**
 * The raw sections of a model's text. If a section is repeated, the last that is not empty counts; for final answers
 * the first.
 */
export interface Sections {
  thought: string;
  action: string;
  actionInput: string;
  finalAnswer: string;
  readonly found: FoundSections;
  /** The offset of the first Action Input header, or -1. */
  inputAt: number;
}

/** The section that the current line belongs to; `none` before the first header and after a midline action. */
type SectionName = "none" | "thought" | "action" | "actionInput";

/**
 * Splits a text into sections line by line. On each line the first match wins: an invented result, which ends the
 * text; a header at the start of the line; a marker after the end of a sentence. Everything else belongs to the open
 * section. Takes time linear in the text.
 */
export function parseSections(text: string): Sections {
  return new SectionParser(text).parse();
}

class SectionParser {
  readonly #lines: readonly string[];
  readonly #sections: Sections = {
    thought: "",
    action: "",
    actionInput: "",
    finalAnswer: "",
    found: { thought: false, action: false, actionInput: false, finalAnswer: false },
    inputAt: -1,
  };
  #section: SectionName = "none";
  #content: string[] = [];
  /** The open Action Input header: a strong one is not ended by a weak header. */
  #inputHeader = { weak: false, indent: 0 };
  #offset = 0;
  #at = 0;

  constructor(text: string) {
    this.#lines = text.split("\n");
  }

  parse(): Sections {
    while (this.#at < this.#lines.length) {
      const raw = this.#lines[this.#at] ?? "";
      if (!this.#readLine(raw, raw.trim())) break;
      this.#offset += raw.length + 1;
      this.#at += 1;
    }
    this.#close();
    return this.#sections;
  }

  /** False at an invented result, which ends the text. */
  #readLine(raw: string, line: string): boolean {
    if (line.startsWith(BASED_ON)) return false;
    const header = this.#findHeader(raw, line);
    if (header?.name === "Observation") {
      if (!quotesFeedback(line)) return false;
      this.#readContent(raw, line);
    } else if (header?.name === "Thought") this.#readThought(raw, line, header);
    else if (header?.name === "Final Answer") this.#openFinalAnswer(raw, headerValue(line, header));
    else if (header?.name === "Action") this.#open("action", headerValue(line, header));
    else if (header?.name === "Action Input") this.#openInput(raw, headerValue(line, header), header.weak);
    else this.#readContent(raw, line);
    return true;
  }

  #findHeader(raw: string, line: string): Header | undefined {
    const header = scanHeader(line, true);
    if (header === undefined || header === "partial") return undefined;
    if (this.#section !== "actionInput") return header;
    if (header.weak && !this.#inputHeader.weak) return undefined;
    // A key of an indented YAML input may also be called Action.
    const isKey = header.name === "Action" && indentOf(raw) > this.#inputHeader.indent;
    return isKey && !startsCompleteAction(this.#lines, this.#at) ? undefined : header;
  }

  #readThought(raw: string, line: string, header: Header): void {
    const answer = this.#findAnswer(line, header.valueAt);
    const midline = answer ?? findMidline(line, "Action", header.valueAt);
    if (midline === undefined) {
      this.#open("thought", headerValue(line, header));
      return;
    }
    this.#open("thought", headerValue(line.slice(0, midline.textEnd), header));
    if (answer !== undefined) this.#openFinalAnswer(raw, headerValue(line, answer));
    else this.#readMidlineAction(line, midline);
  }

  #readContent(raw: string, line: string): void {
    if (this.#section === "actionInput") {
      this.#content.push(raw);
      return;
    }
    const answer = line.startsWith("Thought ") ? undefined : this.#findAnswer(line, 0);
    if (answer !== undefined) {
      if (this.#section === "thought") this.#content.push(line.slice(0, answer.textEnd));
      this.#openFinalAnswer(raw, headerValue(line, answer));
      return;
    }
    const action = findMidline(line, "Action", 0);
    if (action !== undefined) {
      this.#readMidlineAction(line, action);
      return;
    }
    const input = this.#sections.found.action ? findMidline(line, "Action Input", 0) : undefined;
    if (input !== undefined) this.#openInput(raw, headerValue(line, input), false);
    else if (this.#section !== "none") this.#content.push(line);
  }

  #findAnswer(line: string, from: number): Midline | undefined {
    return this.#sections.found.finalAnswer ? undefined : findMidline(line, "Final Answer", from);
  }

  #open(section: SectionName, value: string): void {
    this.#close();
    this.#section = section;
    if (section !== "none") this.#sections.found[section] = true;
    this.#content = [value];
  }

  #openInput(raw: string, value: string, weak: boolean): void {
    this.#open("actionInput", value);
    this.#inputHeader = { weak, indent: indentOf(raw) };
    if (this.#sections.inputAt === -1) this.#sections.inputAt = this.#offset;
  }

  /** The value of a midline action ends with its line. */
  #readMidlineAction(line: string, midline: Midline): void {
    this.#open("action", headerValue(line, midline));
    this.#open("none", "");
  }

  /** Only the first final answer counts. It is read as a whole; parsing continues with the line that ends it. */
  #openFinalAnswer(raw: string, value: string): void {
    this.#open("none", "");
    if (this.#sections.found.finalAnswer) return;
    this.#sections.found.finalAnswer = true;
    const end = finalAnswerEnd(this.#lines, this.#at);
    const indent = indentOf(raw);
    const lines = [value];
    for (let at = this.#at + 1; at < end; at += 1) {
      const line = this.#lines[at] ?? "";
      lines.push(line.slice(Math.min(indent, indentOf(line))).trimEnd());
      this.#offset += line.length + 1;
    }
    this.#sections.finalAnswer = lines.join("\n").trim();
    // The caller advances past the header line.
    this.#at = end - 1;
  }

  /** Stores the open section. An empty value replaces nothing; a new action discards the input before it. */
  #close(): void {
    const section = this.#section;
    this.#section = "none";
    if (section === "none") return;
    const value = this.#content.join("\n").trim();
    if (value === "") return;
    if (section === "action") {
      this.#sections.actionInput = "";
      this.#sections.found.actionInput = false;
    }
    this.#sections[section] = value;
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * The index of the line after a final answer that starts on line `start`. Only a complete action on separate lines,
 * with the thought before it, ends the answer; all other lines belong to it, those with markers included.
 */
function finalAnswerEnd(lines: readonly string[], start: number): number {
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
function startsCompleteAction(lines: readonly string[], at: number): boolean {
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
