import { escapeMarkers } from "#shared/contracts/prompt-marks.ts";
import { frameCode, type SessionNonce } from "./session-nonce.ts";

/**
 * Frames text from outside (alerts, earlier answers, tool output) between the markers `<!-- NAME_START code -->` and
 * `<!-- NAME_END code -->`, each on a separate line. The text can neither close the frame nor open another: it cannot
 * contain a marker, and its author does not know the code.
 */
export function untrustedText(nonce: SessionNonce, name: string, text: string): string {
  return frame(nonce, name, escapeMarkers(text));
}

/** The frame around text whose parts are escaped already. */
export function frame(nonce: SessionNonce, name: string, content: string, separator = "_"): string {
  const marker = (edge: string) => `<!-- ${name}${separator}${edge}${frameCode(nonce)} -->`;
  return `${marker("START")}\n${content}\n${marker("END")}`;
}

/** Untrusted text for use within a line: without line breaks, so that it cannot begin a heading or a list item. */
export function oneLine(text: string): string {
  return escapeMarkers(text).replaceAll(/\s+/g, " ").trim();
}

/**
 * Escapes every run of three or more `=` or `═` with backslashes, for prompts that separate their parts with such
 * rules.
 */
export function escapeRules(text: string): string {
  return text.replaceAll(/[=═]{3,}/g, (rule) => rule.replaceAll(/./g, String.raw`\$&`));
}
