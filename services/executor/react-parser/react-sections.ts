import { BASED_ON, quotesFeedback, scanHeader, type Header, type MarkerName } from "./scan-header.ts";
import { LineStart, LiveText, ValueStart } from "./live/live-text.ts";
import { LiveAnswer } from "./live/live-answer.ts";
import { MidlineScanner, type MidlineMarker } from "./live/midline-scanner.ts";

/** Text to append to a section's live text. */
interface SectionDelta {
  readonly section: "thought" | "final_answer";
  readonly delta: string;
}

/**
 * How the current line is read:
 * - `line-start`: the line may still become a header
 * - `observation`: a line with an Observation header, buffered until it is complete
 * - `value`: the start of the text after a header
 * - `text`: text of the open section
 * - `name`: the rest of an Action header's line
 * - `skip`: the rest of an Action Input header's line
 */
type Mode = "line-start" | "observation" | "value" | "text" | "name" | "skip";

/**
 * Splits a model's ReAct text into sections while it is generated, for live display: its first thought, and its final
 * answer unless an action with an input precedes it. Text that may still become a marker is buffered, and no part of
 * an action is released. For a well-formed text the deltas add up to what `parseReact` returns, however the text was
 * cut into chunks. If the two differ, `parseReact` is authoritative.
 */
export class ReactSections {
  readonly #thought = new LiveText(Infinity);
  #answer: LiveAnswer | undefined;
  #section: "none" | "thought" | "action" | "actionInput" = "none";
  #mode: Mode = "line-start";
  #lineStart = new LineStart();
  #observationLine = "";
  #value = new ValueStart("");
  #midline = new MidlineScanner([]);
  /** Only the first thought is released; in `parseReact` the last one counts. */
  #thoughtClosed = false;
  #actionSeen = false;
  #inputSeen = false;
  #inputWeak = false;
  #done = false;

  /** Takes the next chunk of the model's text; returns the text it releases. */
  push(delta: string): SectionDelta[] {
    for (let at = 0; at < delta.length && !this.#done; at += 1) this.#next(delta.charAt(at));
    return this.#takeDeltas(false);
  }

  /** Ends the text; returns the buffered text that did not become a marker. */
  end(): SectionDelta[] {
    if (!this.#done) {
      if (this.#answer === undefined) this.#endLine();
      this.#answer?.end();
    }
    this.#done = true;
    return this.#takeDeltas(true);
  }

  #takeDeltas(last: boolean): SectionDelta[] {
    const thought = { section: "thought", delta: this.#thought.take(last) } as const;
    const answer = { section: "final_answer", delta: this.#answer?.take(last) ?? "" } as const;
    return [thought, answer].filter(({ delta }) => delta !== "");
  }

  #next(char: string): void {
    if (this.#answer !== undefined) {
      this.#answer.next(char);
      this.#done = this.#answer.ended;
    } else if (char === "\n") this.#endLine();
    else if (this.#mode === "line-start") {
      if (this.#lineStart.add(char)) this.#classify(false);
    } else if (this.#mode === "observation") this.#observationLine += char;
    else if (this.#mode === "value") {
      const value = this.#value.next(char);
      if (value === undefined) return;
      this.#mode = "text";
      this.#readText(value);
    } else if (this.#mode === "text") this.#readText(char);
    else if (this.#mode === "name") this.#readName(char);
  }

  #endLine(): void {
    if (this.#mode === "line-start" && this.#lineStart.text !== "") this.#classify(true);
    if (this.#mode === "observation") {
      if (!quotesFeedback(this.#observationLine)) this.#done = true;
      else this.#readLine(this.#observationLine);
    }
    if (this.#mode === "value") this.#readText(this.#value.end());
    if (this.#done) return;
    if (this.#answer !== undefined) {
      this.#answer.next("\n");
      return;
    }
    this.#release(this.#midline.end());
    if (this.#section === "thought" && !this.#thoughtClosed) this.#thought.newline();
    this.#mode = "line-start";
    this.#lineStart = new LineStart();
  }

  /** Decides what the line is; leaves it open while the line may still become a header. */
  #classify(complete: boolean): void {
    const line = this.#lineStart.text;
    if (line.startsWith(BASED_ON)) {
      this.#done = true;
      return;
    }
    const header = scanHeader(line, complete);
    if (header === "partial" || (!complete && BASED_ON.startsWith(line))) return;
    const isItem = header?.weak === true && this.#section === "actionInput" && !this.#inputWeak;
    if (header === undefined || isItem) this.#readLine(this.#lineStart.raw);
    else if (header.name === "Observation") {
      this.#mode = "observation";
      this.#observationLine = line;
    } else this.#open(header, ["Final Answer", "Action"]);
  }

  /** Reads the start of a line without a header. */
  #readLine(text: string): void {
    const names: MarkerName[] = text.trimStart().startsWith("Thought ")
      ? ["Action"]
      : ["Final Answer", "Action"];
    if (this.#actionSeen) names.push("Action Input");
    this.#midline = new MidlineScanner(this.#section === "actionInput" ? [] : names);
    this.#mode = "text";
    this.#readText(text);
  }

  #readText(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const found = this.#midline.next(text.charAt(at));
      if (typeof found === "string") this.#release(found);
      else {
        this.#open(found, []);
        for (let rest = at + 1; rest < text.length; rest += 1) this.#next(text.charAt(rest));
        return;
      }
    }
  }

  #release(text: string): void {
    if (this.#section === "thought" && !this.#thoughtClosed) this.#thought.write(text);
    else if (this.#section === "action" && text.trim() !== "") this.#nameAction();
  }

  #readName(char: string): void {
    if (char.trim() !== "" && char !== "*" && char !== "`") this.#nameAction();
  }

  /** A new action discards the input before it. */
  #nameAction(): void {
    this.#inputSeen = false;
  }

  /** Opens the section after a marker; a marker named in `midlineNames` may end a thought on the same line. */
  #open(marker: Header | MidlineMarker, midlineNames: readonly MarkerName[]): void {
    const isMidline = !("valueAt" in marker);
    if (this.#thought.started) this.#thoughtClosed = true;
    this.#midline = new MidlineScanner([]);
    this.#value = new ValueStart(marker.openEmphasis);
    this.#mode = "value";
    if (marker.name === "Final Answer") this.#openAnswer(marker.openEmphasis);
    else if (marker.name === "Thought") {
      this.#section = "thought";
      this.#midline = new MidlineScanner(midlineNames);
    } else if (marker.name === "Action") {
      this.#actionSeen = true;
      // The value of a midline action ends with its line.
      this.#section = isMidline ? "none" : "action";
      this.#mode = "name";
    } else {
      this.#inputSeen = true;
      this.#inputWeak = !isMidline && marker.weak;
      this.#section = "actionInput";
      this.#mode = "skip";
    }
  }

  #openAnswer(openEmphasis: string): void {
    // An action with its input takes precedence over an answer.
    if (this.#inputSeen) this.#done = true;
    else this.#answer = new LiveAnswer(this.#lineStart.indent.length, openEmphasis);
  }
}
