import { visibleControls } from "#shared/visible-controls.ts";

/** Colours for a terminal, or none. */
export interface TerminalStyle {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Every function returns its text unchanged if `colours` is false. */
export function terminalStyle(colours: boolean): TerminalStyle {
  const paint = (start: number, end: number) => (text: string) =>
    // Line by line, so that no colour runs into other text on the screen.
    colours ? text.replaceAll(/[^\n]+/gu, (line) => `\u001B[${start}m${line}\u001B[${end}m`) : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

// Text from a model or a tool must not move the cursor or change the terminal's title.
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Replaces control characters by U+FFFD, shows those that change the direction of text by their numbers, and removes carriage
 * returns.
 */
export function printable(text: string): string {
  return visibleControls(text.replaceAll("\r", "").replaceAll(CONTROL, "\uFFFD"));
}

/** Formats a duration: 850 ms, 4.2 s, 3 min 5 s. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
