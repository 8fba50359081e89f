import { escapeMarkers, frameDigits } from "#shared/contracts/prompt-marks.ts";

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

/**
 * The random text of a session's row, which no author of an alert can know before the session's first prompt. A resumed session has the same, so its prompts are the same.
 */
export type SessionNonce = string;

/** The code in the markers of frames, behind a space. */
export function frameCode(nonce: SessionNonce): string {
  return ` ${frameDigits(nonce)}`;
}
