import { styleText } from "node:util";

/** The length of the longest name, "llm-gateway". */
const nameWidth = 11;

/** Prints one line after the name of its origin, such as "executor-2  | serving". */
export function printLine(origin: string, line: string, fromLauncher = false): void {
  const prefix = styleText(fromLauncher ? "yellow" : "dim", `${origin.padEnd(nameWidth)} |`, {
    stream: process.stdout,
  });
  process.stdout.write(`${prefix} ${line}\n`);
}

/** Prints a line of the launcher. */
export function printProgress(line: string): void {
  printLine("tarsy", line, true);
}
