import { headerValue, scanHeader, type Header } from "../scan-header.ts";
import { LineStart, LiveText, ValueStart } from "./live-text.ts";

/** Buffered lines that are either the start of a complete action or text of the answer. */
interface PendingAction {
  readonly lines: string[];
  /** The kind of line that must come next for the action to become complete. */
  next: "header-line" | "name" | "input";
}

/**
 * A final answer while it is generated. A complete action ends it; every other line is text of the answer. The modes:
 * `value` is the rest of the header's line, `line-start` the start of a line that may still become a header, `text` a
 * line of the answer, `pending` a line that may belong to an action.
 */
export class LiveAnswer {
  readonly #text: LiveText;
  #mode: "value" | "line-start" | "text" | "pending" = "value";
  readonly #value: ValueStart;
  #lineStart = new LineStart();
  #action: PendingAction | undefined;
  #pendingLine = "";
  #ended = false;

  /** `indent` is the header line's indentation in characters. */
  constructor(indent: number, openEmphasis: string) {
    this.#text = new LiveText(indent);
    this.#value = new ValueStart(openEmphasis);
  }

  /** True once a complete action has ended the answer. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Removes and returns the text released since the last call. */
  take(last: boolean): string {
    return this.#text.take(last);
  }

  next(char: string): void {
    if (char === "\n") this.#endLine();
    else if (this.#mode === "text") this.#text.write(char);
    else if (this.#mode === "pending") this.#pendingLine += char;
    else if (this.#mode === "line-start") {
      if (this.#lineStart.add(char)) this.#classify(false);
    } else {
      const value = this.#value.next(char);
      if (value === undefined) return;
      this.#mode = "text";
      this.#text.write(value);
    }
  }

  /** Ends the text: buffered lines belong to the answer. */
  end(): void {
    this.#endLine();
    if (!this.#ended) this.#release();
  }

  #endLine(): void {
    if (this.#mode === "line-start" && this.#lineStart.text !== "") this.#classify(true);
    if (this.#ended) return;
    if (this.#mode === "pending") this.#endPendingLine();
    else if (this.#action !== undefined) this.#action.lines.push(this.#lineStart.raw);
    else {
      if (this.#mode === "value") this.#text.write(this.#value.end());
      this.#text.newline();
    }
    this.#mode = "line-start";
    this.#lineStart = new LineStart();
  }

  #endPendingLine(): void {
    const action = this.#action;
    if (action === undefined) return;
    const line = this.#pendingLine;
    if (action.next === "header-line") {
      const header = strongHeader(line.trim(), true);
      const named = typeof header === "object" && headerValue(line.trim(), header) !== "";
      action.next = named ? "input" : "name";
    } else action.next = "input";
    action.lines.push(line);
  }

  /** Decides what the line is; leaves it open while the line may still become a header. */
  #classify(complete: boolean): void {
    const header = strongHeader(this.#lineStart.text, complete);
    if (header === "partial") return;
    if (this.#action?.next === "input" && header?.name === "Action Input") {
      this.#ended = true;
      return;
    }
    if (this.#action?.next === "name" && header === undefined) {
      this.#buffer();
      return;
    }
    this.#release();
    if (header?.name === "Action") {
      this.#action = { lines: [], next: "header-line" };
      this.#buffer();
    } else {
      this.#mode = "text";
      this.#text.write(this.#lineStart.raw);
    }
  }

  #buffer(): void {
    this.#mode = "pending";
    this.#pendingLine = this.#lineStart.raw;
  }

  #release(): void {
    const lines = this.#action?.lines ?? [];
    this.#action = undefined;
    for (const line of lines) {
      this.#text.write(line);
      this.#text.newline();
    }
  }
}

function strongHeader(line: string, complete: boolean): Header | "partial" | undefined {
  const header = scanHeader(line, complete);
  return typeof header === "object" && header.weak ? undefined : header;
}
