import { printable, type TerminalStyle } from "./terminal/terminal-style.ts";

/** A status with its colour. */
export function statusText(status: string, style: TerminalStyle): string {
  const text = printable(status.replaceAll("_", " "));
  if (status === "completed") return style.green(text);
  return status === "failed" || status === "timed_out" ? style.red(text) : style.cyan(text);
}
