/** Behind a longer part a new one begins with the next line. */
export const PART_UNITS = 2_000;

/**
 * Divides text that is added to a part of `held` code units: the first piece continues that part, each other one is the
 * beginning of a new part. Parts end with a line break.
 */
export function lineParts(held: number, text: string): readonly string[] {
  const pieces: string[] = [];
  let [start, length] = [0, held];
  for (;;) {
    const lineBreak = text.indexOf("\n", start + Math.max(0, PART_UNITS - length));
    if (lineBreak === -1) break;
    pieces.push(text.slice(start, lineBreak + 1));
    [start, length] = [lineBreak + 1, 0];
  }
  return [...pieces, text.slice(start)];
}
