/**
 * Frames text from outside (alerts, earlier answers, tool output) between the markers `<!-- NAME_START -->` and
 * `<!-- NAME_END -->`, each on a separate line. The text can neither close the frame nor open another.
 */
export function untrustedText(name: string, text: string): string {
  return `<!-- ${name}_START -->\n${escapeMarkers(text)}\n<!-- ${name}_END -->`;
}

/** Escapes comment delimiters, so that the text contains neither `<!--` nor `-->`; the rest is unchanged. */
export function escapeMarkers(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
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
