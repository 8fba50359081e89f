import { inertText } from "./inert-text.ts";

/**
 * Frames text from outside (alerts, earlier answers, tool output) between the markers `<!-- NAME_START -->` and
 * `<!-- NAME_END -->`, each on a line of its own. Nothing in the text can close the frame or open another.
 */
export function untrustedText(name: string, text: string): string {
  return `<!-- ${name}_START -->\n${inertText(text)}\n<!-- ${name}_END -->`;
}
