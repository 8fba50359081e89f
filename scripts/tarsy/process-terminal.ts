import { terminalStyle } from "./terminal/terminal-style.ts";
import type { Terminal } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

/** The terminal of this process. When the reader of the output goes, the process ends. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.brokenPipe);
    throw error;
  });
  stderr.on("error", () => process.exit(EXIT.brokenPipe));
  const isTerminal = stdout.isTTY;
  return {
    write: (text) => void stdout.write(text),
    warn: (text) => void stderr.write(text),
    style: terminalStyle(isTerminal && (process.env["NO_COLOR"] ?? "") === ""),
    isTerminal,
    isInteractive: isTerminal && stdin.isTTY,
    columns: isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
}
