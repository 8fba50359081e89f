import { storableText } from "#shared/storable-text.ts";
import { safeCut } from "#shared/surrogate-guard.ts";

/** Twice the four lines that are asked for: a model may put a blank one between them. */
const MAX_LINES = 8;
const MAX_UTF16_UNITS = 2_000;

/**
 * A reply as it is kept as executive summary: storable, without space around it, and cut with an ellipsis behind 8 lines or
 * 2,000 UTF-16 units, because it stands in notifications and in every row of a list. Empty for a reply without text.
 */
export function summaryText(reply: string): string {
  const whole = storableText(reply.trim()).text;
  const lines = whole.split(/\r\n|[\n\r\u2028\u2029]/u, MAX_LINES).join("\n");
  const cut = lines.slice(0, safeCut(lines, MAX_UTF16_UNITS)).trimEnd();
  return isWhole(whole, cut) ? cut : `${cut}…`;
}

/** Line ends count as one another. */
function isWhole(whole: string, cut: string): boolean {
  return whole.replaceAll("\r\n", "\n").length === cut.length;
}
