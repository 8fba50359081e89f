import type { ToolCallProgress } from "#shared/contracts/tool-call.ts";
import { WITHHELD } from "./run-tool.ts";
import { readableText } from "./readable-text.ts";

/** A tool's report about a running call. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

interface CallProgressOptions {
  readonly callId: string;
  readonly mask: (text: string) => Promise<string>;
  readonly send: (progress: ToolCallProgress) => void;
}

const EVERY_MS = 500;
/** Masked before it is cut. */
const MAX_RAW_CHARS = 16_000;
const MAX_MESSAGE_BYTES = 600;

/** Sends the progress of one call, masked, at most twice a second; the newest is never lost to an older one. */
export class CallProgress implements Disposable {
  readonly #options: CallProgressOptions;
  #newest: ProgressReport | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: CallProgressOptions) {
    this.#options = options;
  }

  push(progress: ProgressReport): void {
    if (this.#isOver || !Number.isFinite(progress.progress)) return;
    this.#newest = progress;
    if (this.#timer === undefined) this.#sendNewest();
  }

  /** Sends nothing more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #sendNewest(): void {
    const newest = this.#newest;
    this.#newest = undefined;
    this.#timer = undefined;
    if (newest === undefined) return;
    this.#timer = setTimeout(() => this.#sendNewest(), EVERY_MS);
    this.#timer.unref();
    void this.#send(newest);
  }

  async #send(newest: ProgressReport): Promise<void> {
    const progress = await this.#masked(newest);
    if (!this.#isOver) this.#options.send(progress);
  }

  async #masked({ progress, total, message = "" }: ProgressReport): Promise<ToolCallProgress> {
    const raw = readableText(message.slice(0, MAX_RAW_CHARS));
    const masked = await this.#options.mask(raw).catch(() => WITHHELD);
    const text = masked === WITHHELD ? "" : startOf(masked);
    return {
      call_id: this.#options.callId,
      progress,
      ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
      ...(text === "" ? {} : { message: text }),
    };
  }
}

/** The longest start that fits and splits no character. */
function startOf(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_MESSAGE_BYTES));
  return text.slice(0, read);
}
