/** U+FFFD, the Unicode replacement character. */
const REPLACEMENT = "\uFFFD";

/**
 * Replaces what Postgres text and jsonb refuse: NUL and lone surrogates. Each refused UTF-16 code unit becomes U+FFFD,
 * so lengths and offsets do not change. A text converted in pieces equals the text converted whole, as long as no piece
 * ends inside a surrogate pair.
 */
export function postgresSafeText(text: string): { text: string; changed: boolean } {
  if (text.isWellFormed() && !text.includes("\0")) return { text, changed: false };
  const safe = text.toWellFormed().replaceAll("\0", REPLACEMENT);
  return { text: safe, changed: true };
}
