import { durationText, printable } from "./terminal/terminal-style.ts";
import type { Terminal } from "./command.ts";

const EVERY_MS = 1_000;
/** A text that stopped in the middle of a line gives way to the status after this time. */
const SILENT_MS = 5_000;

/**
 * A line below the text of a terminal that says what is being done and for how long. It is removed before other text is
 * written. Without a terminal it is not shown; progress of tools is then written as lines, once for each message.
 */
export class LiveStatus implements Disposable {
  readonly #terminal: Terminal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #shownMessages = new Set<string>();
  #text = "";
  #since = performance.now();
  #writtenAt = performance.now();
  readonly #silentMs: number;
  #isShown = false;
  /** The cursor stands at the beginning of a line. */
  #isLineStart = true;

  constructor(terminal: Terminal, silentMs = SILENT_MS) {
    this.#terminal = terminal;
    this.#silentMs = silentMs;
    if (terminal.isTerminal) this.#timer = setInterval(() => this.#tick(), EVERY_MS).unref();
  }

  /** Writes text above the line. */
  write(text: string): void {
    this.#erase();
    this.#terminal.write(text);
    this.#isLineStart = text.endsWith("\n");
    this.#writtenAt = performance.now();
    this.#draw();
  }

  /** The work that is being done. */
  set(text: string): void {
    if (text !== this.#text) this.#since = performance.now();
    this.#text = text;
    this.#draw();
  }

  /** Takes a `tool.progress`. */
  progress(message: Readonly<Record<string, unknown>>): void {
    const { progress, total, message: said, event_id } = message;
    const part = typeof total === "number" ? `${String(progress)}/${total}` : String(progress);
    const text =
      typeof said === "string" && said !== "" ? `${printable(said).replaceAll("\n", " ")} (${part})` : part;
    if (this.#terminal.isTerminal) {
      this.set(`tool: ${text}`);
      return;
    }
    const key = `${String(event_id)} ${String(said)}`;
    if (typeof said !== "string" || this.#shownMessages.has(key)) return;
    this.#shownMessages.add(key);
    if (this.#isLineStart) this.#terminal.write(this.#terminal.style.dim(`  … ${text}\n`));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#erase();
    this.#text = "";
  }

  #tick(): void {
    const isSilent = performance.now() - this.#writtenAt >= this.#silentMs;
    if (!this.#isLineStart && isSilent && this.#text !== "") {
      this.#terminal.write("\n");
      this.#isLineStart = true;
      this.#since = this.#writtenAt;
    }
    this.#draw();
  }

  #draw(): void {
    if (!this.#terminal.isTerminal || this.#text === "" || !this.#isLineStart) return;
    const took = durationText(Math.round((performance.now() - this.#since) / 1_000) * 1_000);
    const line = `… ${this.#text}, ${took}`.slice(0, Math.max(this.#terminal.columns - 1, 10));
    this.#terminal.write(`\r\u001B[K${this.#terminal.style.dim(line)}`);
    this.#isShown = true;
  }

  #erase(): void {
    if (this.#isShown) this.#terminal.write("\r\u001B[K");
    this.#isShown = false;
  }
}
