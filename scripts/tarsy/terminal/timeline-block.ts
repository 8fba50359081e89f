import { StreamedText } from "#shared/client/streamed-text.ts";
import { printable, type TerminalStyle } from "./terminal-style.ts";

const LABELS: Readonly<Record<string, string>> = {
  llm_thinking: "thinking",
  llm_response: "message",
  llm_tool_call: "tool call",
  mcp_tool_call: "tool call",
  mcp_tool_summary: "result summary",
  tool_result: "tool result",
  code_execution: "code execution",
  google_search_result: "web search",
  url_context_result: "web pages read",
  provider_fallback: "fallback model",
  skill_loaded: "skill loaded",
  task_assigned: "task",
  memory_injected: "memories",
  final_analysis: "Final analysis",
  executive_summary: "Executive summary",
  user_question: "question",
  error: "error",
};
const MAX_TOOL_LINES = 20;

/** The name of a type of timeline event. */
export function eventTitle(type: string): string {
  return LABELS[type] ?? printable(type);
}

/** A piece of the screen; blocks are shown one after another. */
export interface ScreenBlock {
  readonly done: boolean;
  /** Returns the text that was not shown yet; called only for the block at the cursor. */
  take(): string;
}

/** Creates a block of complete text. */
export function doneBlock(text: string): ScreenBlock {
  let rest = text;
  return {
    done: true,
    take: () => {
      const taken = rest;
      rest = "";
      return taken;
    },
  };
}

/** One timeline event: a heading and its growing text. */
export class TimelineBlock implements ScreenBlock {
  done = false;
  readonly #type: string;
  readonly #heading: string;
  readonly #style: TerminalStyle;
  #hasHeading = false;
  readonly #streamed = new StreamedText();
  #shown = 0;
  #note = "";

  /** The id of the agent's execution. */
  readonly execution: string;

  constructor(type: string, suffix: string, style: TerminalStyle, execution: string) {
    this.execution = execution;
    this.#type = type;
    this.#style = style;
    this.#heading = `${eventTitle(type)}${suffix}`;
  }

  /** Adds streamed text at `offset`. Repeated text is harmless; a higher attempt starts over. */
  chunk(attempt: number, offset: number, delta: string): void {
    if (!this.done && this.#streamed.add(attempt, offset, delta)) this.#startOver();
  }

  /** Sets the final content, which replaces the streamed text. */
  complete(content: string, status: string): void {
    // Surrounding white space may differ from the streamed text; only a different text is shown again.
    const shown = this.#streamed.text.slice(0, this.#shown);
    if (!content.startsWith(shown)) {
      if (content.startsWith(shown.trim())) this.#shown = shown.trim().length;
      else this.#startOver();
    }
    this.#streamed.text = content;
    this.done = true;
    if (status !== "completed" && status !== "streaming") this.#note = this.#style.red(`  [${status}]\n`);
  }

  /** True while some text was not shown yet. */
  get hasNewText(): boolean {
    return this.#shown < this.#streamed.text.length;
  }

  /** Thinking completes only with the whole reply; the blocks after it should not wait for that. */
  get mayPause(): boolean {
    return this.#type === "llm_thinking";
  }

  /** Pauses the block and returns the text that ends its last line. The heading is repeated with further text. */
  pause(): string {
    this.#hasHeading = false;
    return this.#streamed.text === "" || this.#streamed.text.endsWith("\n") ? "" : "\n";
  }

  take(): string {
    const fresh = this.#streamed.text.slice(this.#shown);
    if (fresh === "" && !this.done) return "";
    this.#shown = this.#streamed.text.length;
    const head = this.#hasHeading ? "" : this.#head();
    this.#hasHeading = true;
    const end = this.done
      ? `${this.#streamed.text.endsWith("\n") || this.#streamed.text === "" ? "" : "\n"}${this.#note}`
      : "";
    this.#note = "";
    return `${head}${this.#body(printable(fresh))}${end}`;
  }

  #startOver(): void {
    this.#hasHeading = false;
    this.#shown = 0;
  }

  #head(): string {
    const heading = `\n● ${this.#heading}\n`;
    if (this.#type === "error") return this.#style.red(heading);
    return this.#type === "final_analysis" ? this.#style.bold(heading) : this.#style.cyan(heading);
  }

  #body(text: string): string {
    switch (this.#type) {
      case "llm_thinking":
        return this.#style.dim(text);
      case "error":
        return this.#style.red(text);
      case "tool_result":
      case "mcp_tool_summary":
      case "code_execution":
      case "skill_loaded":
      case "memory_injected":
        return shortened(text, this.#style);
      default:
        return text;
    }
  }
}

function shortened(text: string, style: TerminalStyle): string {
  const lines = text.split("\n");
  if (lines.length <= MAX_TOOL_LINES + 1) return text;
  const more = lines.length - MAX_TOOL_LINES;
  return `${lines.slice(0, MAX_TOOL_LINES).join("\n")}\n${style.dim(`… ${more} more lines`)}`;
}
