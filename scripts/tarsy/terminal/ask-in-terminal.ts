import { createInterface } from "node:readline/promises";

/** The input of the terminal has ended (Ctrl-D), so that no question can be answered. */
export class InputEndedError extends Error {
  constructor() {
    super("the input has ended");
  }
}

/** Asks the person at this process' terminal. Throws the signal's reason once it aborts, and InputEndedError at the end of the input. */
export async function askInTerminal(question: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  terminal.once("close", () => ended.abort(new InputEndedError()));
  // The terminal does not turn Ctrl-C into a signal while a line is read.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await terminal.question(question, { signal: AbortSignal.any([signal, ended.signal]) });
  } catch (error) {
    signal.throwIfAborted();
    // The reader rejects with an error of its own, or not at all.
    ended.signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
}
