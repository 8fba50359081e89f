import { escapeMarkers } from "#shared/contracts/prompt-marks.ts";

/** As the executor reads a kept text for a summary (`read-kept-text.ts`, `summary-input.ts`). */
const MAX_TEXT_TOKENS = 100_000;
const CHARS_PER_TOKEN = 4;
const HEAD = 0.7;

/** Stands in the record of a call for a summary in place of the result's text. */
const PLACEHOLDER = /\[(\d{1,10}) characters of the result that is kept under the id ([0-9a-f-]{36})\]/gu;

/**
 * The content of a message of a call for a summary, with the kept text in its place as the model got it; undefined if the text is
 * kept no more, or is not the one that was sent. Other messages stay as they are.
 */
export function withKeptText(
  content: string,
  kept: ReadonlyMap<string, string>,
  maxToolResultTokens: number,
): string | undefined {
  // The result stands behind the conversation.
  const found = [...content.matchAll(PLACEHOLDER)].at(-1);
  const handle = found?.[2];
  if (found === undefined || handle === undefined) return content;
  const text = kept.get(handle);
  if (text === undefined) return undefined;
  const window = windowOf(text, Math.min(MAX_TEXT_TOKENS, maxToolResultTokens) * CHARS_PER_TOKEN);
  if (window.length !== Number(found[1])) return undefined;
  const after = content.slice(found.index + found[0].length);
  return `${content.slice(0, found.index)}${escapeMarkers(window)}${after}`;
}

/** In characters, as the database counts them. */
function windowOf(text: string, maxChars: number): string {
  const characters = Array.from(text);
  const headChars = Math.floor(maxChars * HEAD);
  const tailChars = maxChars - headChars;
  const left = characters.length - headChars - tailChars;
  if (left <= 0) return text;
  const head = characters.slice(0, headChars).join("");
  return `${head}\n[… not shown: ${left} characters …]\n${characters.slice(-tailChars).join("")}`;
}
