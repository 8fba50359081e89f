import { McpFailure } from "./mcp-failure.ts";

interface Idle {
  readonly usedAt: number;
  readonly close: () => Promise<void>;
}

/** Limits the processes of servers that this runner has at a time. When all are taken, the one idle longest makes room. */
export class ProcessLimit {
  readonly #max: number;
  readonly #longestIdle: () => Idle | undefined;
  #taken = 0;

  constructor(max: number, longestIdle: () => Idle | undefined) {
    this.#max = max;
    this.#longestIdle = longestIdle;
  }

  /** Takes room for a process; disposal gives it back. Throws McpFailure `busy` if no process is idle. */
  async take(): Promise<Disposable> {
    this.#taken += 1;
    if (this.#taken > this.#max) {
      const idle = this.#longestIdle();
      if (idle === undefined) {
        this.#taken -= 1;
        throw new McpFailure("busy", "no", `the tool-runner runs ${this.#max} processes of servers already`);
      }
      await idle.close();
    }
    let isGiven = false;
    return {
      [Symbol.dispose]: () => {
        if (!isGiven) this.#taken -= 1;
        isGiven = true;
      },
    };
  }
}
