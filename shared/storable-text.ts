/** U+FFFD, the replacement character: what a reader sees where a character could not be kept. */
const REPLACEMENT = "\uFFFD";

/**
 * Makes any string storable as Postgres text and jsonb, which refuse NUL and lone surrogates. Each offending UTF-16
 * unit becomes U+FFFD, so lengths and offsets stay what they were: a text made storable in pieces equals the whole
 * made storable, as long as no piece ends inside a surrogate pair.
 */
export function storableText(text: string): { text: string; changed: boolean } {
  const storable = text.toWellFormed().replaceAll("\0", REPLACEMENT);
  return { text: storable, changed: storable !== text };
}
