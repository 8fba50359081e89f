import { inertText } from "./inert-text.ts";

/** Text from outside for a place within a line: no line breaks, so that it cannot begin a heading or a list item. */
export function oneLine(text: string): string {
  return inertText(text).replaceAll(/\s+/g, " ").trim();
}
