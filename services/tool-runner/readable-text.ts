/** Escape sequences of terminals (ECMA-48): colours, cursor movements, titles, links. */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[ -/]*[0-~])?/gu;
/**
 * Characters that a display does not show: controls but for tabs and line breaks, and what Unicode lets a display ignore, which
 * includes zero-width characters, bidirectional controls, variation selectors and tags.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFF9-\uFFFB]/gu;
const LINE_BREAKS = /[\u2028\u2029]/gu;
/** The beginnings of the lines that this program itself writes into results. */
const OWN_LINE =
  /\[(?=\s*(?:cut\s*:|summary\s*,|…\s*not shown|not all of this result|not called again|lines\s+\d|no hit in|this value has|this result is withheld|the connection to this server))/giu;

/** A server's text without what a reader cannot see and a model would still read. Before masking: a secret may be split by it. */
export function readableText(text: string): string {
  return text.replaceAll(TERMINAL, "").replaceAll(INVISIBLE, "").replaceAll(LINE_BREAKS, "\n");
}

/** A server's text in which no line can pass for one of this program; JSON stays JSON. */
export function withoutOwnLines(text: string): string {
  return text.replaceAll(OWN_LINE, "[the server wrote: ");
}
