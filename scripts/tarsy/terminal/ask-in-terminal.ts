import { createInterface } from "node:readline/promises";

/** Asks the person at this process' terminal. Throws the signal's reason once it aborts. */
export async function askInTerminal(question: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // The terminal does not turn Ctrl-C into a signal while a line is read.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await terminal.question(question, { signal });
  } finally {
    terminal.close();
  }
}
