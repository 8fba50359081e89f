/** True for the first half of a surrogate pair. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * Where to cut `text` so that at most `limit` UTF-16 units come before the cut and no surrogate pair is split; a cut
 * at the very end also holds back a high surrogate whose other half has not arrived yet.
 */
export function safeCut(text: string, limit: number): number {
  const cut = Math.min(text.length, limit);
  return cut > 0 && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
}
