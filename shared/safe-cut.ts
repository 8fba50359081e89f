/** True for the first half of a surrogate pair. */
function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

/**
 * Offset at which to cut `text`: at most `limit` UTF-16 code units precede it, and it splits no surrogate pair. A high
 * surrogate at the end of `text` is cut off, too, because its other half may still arrive.
 */
export function safeCut(text: string, limit: number): number {
  const cut = Math.min(text.length, limit);
  return cut > 0 && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
}
