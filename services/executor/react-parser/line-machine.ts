import { finalAnswerEnd, startsCompleteAction } from "./final-answer-end.ts";
import { findMidline, type Midline } from "./find-midline.ts";
import type { FoundSections } from "./parsed-react.ts";
import { headerValue, scanHeader, type Header } from "./scan-header.ts";
import { BASED_ON, quotesFeedback } from "./stop-line.ts";

/** The sections of a model's text, raw: of repeated ones the last that is not empty, of final answers the first. */
export interface Sections {
  thought: string;
  action: string;
  actionInput: string;
  finalAnswer: string;
  readonly found: FoundSections;
  /** The offset of the first Action Input header, or -1. */
  inputAt: number;
}

/** What the lines after a header belong to; `none` before the first header and after a midline action. */
type SectionName = "none" | "thought" | "action" | "actionInput";

/**
 * Reads a text line by line. On each line the first match wins: the end of the model's own words (an invented
 * observation), a header at its start, a marker behind the end of a sentence; what is left belongs to the section
 * that is open. In time linear in the text.
 */
export function readSections(text: string): Sections {
  return new LineMachine(text).run();
}

class LineMachine {
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
  /** How the open Action Input header stood there; only a like one can follow it. */
  #inputHeader = { weak: false, indent: 0 };
  #offset = 0;
  #at = 0;

  constructor(text: string) {
    this.#lines = text.split("\n");
  }

  run(): Sections {
    while (this.#at < this.#lines.length) {
      const raw = this.#lines[this.#at] ?? "";
      if (!this.#readLine(raw, raw.trim())) break;
      this.#offset += raw.length + 1;
      this.#at += 1;
    }
    this.#close();
    return this.#sections;
  }

  /** False at the line where the model's own words end. */
  #readLine(raw: string, line: string): boolean {
    if (line.startsWith(BASED_ON)) return false;
    const header = this.#headerOf(raw, line);
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

  #headerOf(raw: string, line: string): Header | undefined {
    const header = scanHeader(line, true);
    if (header === undefined || header === "partial") return undefined;
    if (this.#section !== "actionInput") return header;
    if (header.weak && !this.#inputHeader.weak) return undefined;
    // A key of an indented YAML input may be called Action, too.
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
    else this.#takeMidlineAction(line, midline);
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
      this.#takeMidlineAction(line, action);
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

  /** A midline action has only the rest of its line. */
  #takeMidlineAction(line: string, midline: Midline): void {
    this.#open("action", headerValue(line, midline));
    this.#open("none", "");
  }

  /** Only the first final answer counts; it is taken whole, and reading goes on at what cuts it. */
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
    // The caller adds the header's own line.
    this.#at = end - 1;
  }

  /** Stores the open section; an empty value never replaces another, and a new action takes no older input. */
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
