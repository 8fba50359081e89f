import { styleText } from "node:util";

/** As long as the longest name, "llm-gateway". */
const nameWidth = 11;

/** Prints one line with its origin in front, such as "executor-2  | serving". */
export function printLine(origin: string, line: string, isOurs = false): void {
  const prefix = styleText(isOurs ? "yellow" : "dim", `${origin.padEnd(nameWidth)} |`, {
    stream: process.stdout,
  });
  process.stdout.write(`${prefix} ${line}\n`);
}

/** Prints a line of the launcher itself. */
export function printProgress(line: string): void {
  printLine("tarsy", line, true);
}
