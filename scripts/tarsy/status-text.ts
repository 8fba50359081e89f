import { cancelledBy, sessionState, type Cancelled, type StateFacts } from "#shared/client/session-state.ts";
import { fullTimeText } from "#shared/client/time-text.ts";
import { printable, type TerminalStyle } from "./terminal/terminal-style.ts";

/** A status with its colour; `words` stand for it. */
export function statusText(
  status: string,
  style: TerminalStyle,
  words: string = status === "active" ? "running" : status.replaceAll("_", " "),
): string {
  const text = printable(words);
  if (status === "completed") return style.green(text);
  if (status === "parked" || status === "parking" || status === "needs_approval") return style.yellow(text);
  return ["failed", "failing"].includes(status) || status === "timed_out"
    ? style.red(text)
    : style.cyan(text);
}

/** Names the person that cancelled a session, and the time. */
export function cancelledText(cancelled: Cancelled): string {
  return `${cancelledBy(cancelled)} ${fullTimeText(Date.parse(cancelled.at), "utc")}`;
}

/** The state of a session in the words of the page, at least `width` characters wide. */
export function stateText(facts: StateFacts, style: TerminalStyle, width = 0): string {
  const { kind, text } = sessionState(facts);
  return statusText(kind, style, text.toLowerCase().padEnd(width));
}
