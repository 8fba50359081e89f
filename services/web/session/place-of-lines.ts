import { textLines } from "#shared/text-lines.ts";

/**
 * The offset of these words in a result: of their places the nearest to the line with this number, from 1. Undefined if the result does
 * not have them, such as one of which the timeline has a part.
 */
export function placeOfLines(text: string, words: string, line: number): number | undefined {
  if (words === "") return undefined;
  let [start, number] = [0, 0];
  for (const one of textLines(text)) {
    number += 1;
    if (number > line) break;
    ({ start } = one);
  }
  const first = text.indexOf(words);
  if (first === -1) return undefined;
  let nearest = first;
  for (let at = first; at !== -1; at = text.indexOf(words, at + words.length)) {
    if (Math.abs(at - start) < Math.abs(nearest - start)) nearest = at;
  }
  return nearest;
}
