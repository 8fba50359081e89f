import { LineHead } from "./line-head.ts";
import { LiveText } from "./live-text.ts";
import { OpenedValue } from "./opened-value.ts";
import { headerValue, scanHeader, type Header } from "./scan-header.ts";

/** Lines that are a complete action if the next one is right, and otherwise text of the answer. */
interface HeldAction {
  readonly lines: string[];
  /** What the next line with text has to be. */
  next: "header-line" | "name" | "input";
}

/**
 * A final answer as it is written, line by line: `head` while a line may still be a header, then `text`, or `held`
 * where it may belong to an action. Everything is text of the answer but a complete action, which ends it.
 */
export class LiveAnswer {
  readonly #text: LiveText;
  #mode: "value" | "head" | "text" | "held" = "value";
  readonly #value: OpenedValue;
  #head = new LineHead();
  #action: HeldAction | undefined;
  #heldLine = "";
  #ended = false;

  /** Starts behind its header, whose line has this indentation and which opened this emphasis. */
  constructor(indent: number, open: string) {
    this.#text = new LiveText(indent);
    this.#value = new OpenedValue(open);
  }

  /** True once a complete action has taken the answer's place. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What was released since the last call. */
  take(last: boolean): string {
    return this.#text.take(last);
  }

  next(unit: string): void {
    if (unit === "\n") this.#endLine();
    else if (this.#mode === "text") this.#text.write(unit);
    else if (this.#mode === "held") this.#heldLine += unit;
    else if (this.#mode === "head") {
      if (this.#head.add(unit)) this.#judge(false);
    } else {
      const begun = this.#value.next(unit);
      if (begun === undefined) return;
      this.#mode = "text";
      this.#text.write(begun);
    }
  }

  /** The text is complete: what was held back belongs to the answer. */
  end(): void {
    this.#endLine();
    if (!this.#ended) this.#release();
  }

  #endLine(): void {
    if (this.#mode === "head" && this.#head.text !== "") this.#judge(true);
    if (this.#ended) return;
    if (this.#mode === "held") this.#endHeldLine();
    else if (this.#action !== undefined) this.#action.lines.push(this.#head.raw);
    else {
      if (this.#mode === "value") this.#text.write(this.#value.end());
      this.#text.newline();
    }
    this.#mode = "head";
    this.#head = new LineHead();
  }

  #endHeldLine(): void {
    const action = this.#action;
    if (action === undefined) return;
    const line = this.#heldLine;
    if (action.next === "header-line") {
      const header = strongHeader(line.trim(), true);
      const named = typeof header === "object" && headerValue(line.trim(), header) !== "";
      action.next = named ? "input" : "name";
    } else action.next = "input";
    action.lines.push(line);
  }

  /** Decides what the line is, or waits for more of it. */
  #judge(complete: boolean): void {
    const header = strongHeader(this.#head.text, complete);
    if (header === "partial") return;
    if (this.#action?.next === "input" && header?.name === "Action Input") {
      this.#ended = true;
      return;
    }
    if (this.#action?.next === "name" && header === undefined) {
      this.#hold();
      return;
    }
    this.#release();
    if (header?.name === "Action") {
      this.#action = { lines: [], next: "header-line" };
      this.#hold();
    } else {
      this.#mode = "text";
      this.#text.write(this.#head.raw);
    }
  }

  #hold(): void {
    this.#mode = "held";
    this.#heldLine = this.#head.raw;
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
