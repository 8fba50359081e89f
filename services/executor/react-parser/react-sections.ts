import { LineHead } from "./line-head.ts";
import { LiveAnswer } from "./live-answer.ts";
import { LiveText } from "./live-text.ts";
import { MidlineWatch, type WatchedMarker } from "./midline-watch.ts";
import { OpenedValue } from "./opened-value.ts";
import { scanHeader, type Header, type MarkerName } from "./scan-header.ts";
import { BASED_ON, quotesFeedback } from "./stop-line.ts";

/** Text to be appended to what is shown of a section. */
export interface SectionDelta {
  readonly section: "thought" | "final_answer";
  readonly delta: string;
}

/** What the current line is read as; see `#next`. */
type Mode = "head" | "observation" | "value" | "text" | "name" | "skip";

/**
 * Splits a model's ReAct text into the sections that may be shown while it is written: its first thought, and its
 * final answer if no action came before it. Anything that may still turn out to be a marker is held back, and
 * nothing of an action is ever released. For a well-formed text the released pieces add up to what `parseReact`
 * finds, however the text was cut into deltas; where the complete parse decides otherwise, it is the authority.
 */
export class ReactSections {
  readonly #thought = new LiveText(Infinity);
  #answer: LiveAnswer | undefined;
  #section: "none" | "thought" | "action" | "actionInput" = "none";
  #mode: Mode = "head";
  #head = new LineHead();
  #heldLine = "";
  #value = new OpenedValue("");
  #watch = new MidlineWatch([]);
  /** A second thought replaces the first only in the complete parse. */
  #thoughtClosed = false;
  #actionSeen = false;
  #inputSeen = false;
  #inputWeak = false;
  #done = false;

  /** Takes the next piece of the model's text; returns what can be shown because of it. */
  push(delta: string): SectionDelta[] {
    for (let at = 0; at < delta.length && !this.#done; at += 1) this.#next(delta.charAt(at));
    return this.#released(false);
  }

  /** The text is complete; returns what was held back and is text after all. */
  end(): SectionDelta[] {
    if (!this.#done) {
      if (this.#answer === undefined) this.#endLine();
      this.#answer?.end();
    }
    this.#done = true;
    return this.#released(true);
  }

  #released(last: boolean): SectionDelta[] {
    const thought = { section: "thought", delta: this.#thought.take(last) } as const;
    const answer = { section: "final_answer", delta: this.#answer?.take(last) ?? "" } as const;
    return [thought, answer].filter(({ delta }) => delta !== "");
  }

  #next(unit: string): void {
    if (this.#answer !== undefined) {
      this.#answer.next(unit);
      this.#done = this.#answer.ended;
    } else if (unit === "\n") this.#endLine();
    else if (this.#mode === "head") {
      if (this.#head.add(unit)) this.#judge(false);
    } else if (this.#mode === "observation") this.#heldLine += unit;
    else if (this.#mode === "value") {
      const begun = this.#value.next(unit);
      if (begun === undefined) return;
      this.#mode = "text";
      this.#readText(begun);
    } else if (this.#mode === "text") this.#readText(unit);
    else if (this.#mode === "name") this.#readName(unit);
  }

  #endLine(): void {
    if (this.#mode === "head" && this.#head.text !== "") this.#judge(true);
    if (this.#mode === "observation") {
      if (!quotesFeedback(this.#heldLine)) this.#done = true;
      else this.#readLine(this.#heldLine);
    }
    if (this.#mode === "value") this.#readText(this.#value.end());
    if (this.#done) return;
    if (this.#answer !== undefined) {
      this.#answer.next("\n");
      return;
    }
    this.#show(this.#watch.end());
    if (this.#section === "thought" && !this.#thoughtClosed) this.#thought.newline();
    this.#mode = "head";
    this.#head = new LineHead();
  }

  /** Decides what the line is, or waits for more of it. */
  #judge(complete: boolean): void {
    const line = this.#head.text;
    if (line.startsWith(BASED_ON)) {
      this.#done = true;
      return;
    }
    const header = scanHeader(line, complete);
    if (header === "partial" || (!complete && BASED_ON.startsWith(line))) return;
    const isItem = header?.weak === true && this.#section === "actionInput" && !this.#inputWeak;
    if (header === undefined || isItem) this.#readLine(this.#head.raw);
    else if (header.name === "Observation") {
      this.#mode = "observation";
      this.#heldLine = line;
    } else this.#open(header, ["Final Answer", "Action"]);
  }

  /** The start of a line without a header. */
  #readLine(text: string): void {
    const names: MarkerName[] = text.trimStart().startsWith("Thought ")
      ? ["Action"]
      : ["Final Answer", "Action"];
    if (this.#actionSeen) names.push("Action Input");
    this.#watch = new MidlineWatch(this.#section === "actionInput" ? [] : names);
    this.#mode = "text";
    this.#readText(text);
  }

  #readText(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const certain = this.#watch.next(text.charAt(at));
      if (typeof certain === "string") this.#show(certain);
      else {
        this.#open(certain, []);
        for (let rest = at + 1; rest < text.length; rest += 1) this.#next(text.charAt(rest));
        return;
      }
    }
  }

  #show(text: string): void {
    if (this.#section === "thought" && !this.#thoughtClosed) this.#thought.write(text);
    else if (this.#section === "action" && text.trim() !== "") this.#nameAction();
  }

  #readName(unit: string): void {
    if (unit.trim() !== "" && unit !== "*" && unit !== "`") this.#nameAction();
  }

  /** A new action takes no older input. */
  #nameAction(): void {
    this.#inputSeen = false;
  }

  /** Opens a section behind its header or midline marker; `watched` may end a thought on the same line. */
  #open(marker: Header | WatchedMarker, watched: readonly MarkerName[]): void {
    const isMidline = !("valueAt" in marker);
    if (this.#thought.started) this.#thoughtClosed = true;
    this.#watch = new MidlineWatch([]);
    this.#value = new OpenedValue(marker.open);
    this.#mode = "value";
    if (marker.name === "Final Answer") this.#openAnswer(marker.open);
    else if (marker.name === "Thought") {
      this.#section = "thought";
      this.#watch = new MidlineWatch(watched);
    } else if (marker.name === "Action") {
      this.#actionSeen = true;
      // A midline action has only the rest of its line.
      this.#section = isMidline ? "none" : "action";
      this.#mode = "name";
    } else {
      this.#inputSeen = true;
      this.#inputWeak = !isMidline && marker.weak;
      this.#section = "actionInput";
      this.#mode = "skip";
    }
  }

  #openAnswer(open: string): void {
    // An action with its input comes before any answer.
    if (this.#inputSeen) this.#done = true;
    else this.#answer = new LiveAnswer(this.#head.indent.length, open);
  }
}
