import { safeCut } from "#shared/safe-cut.ts";

/** A longer line counts as several, so that each line of any text can be shown. In UTF-16 code units. */
const MAX_LINE_CHARS = 1_000;

/** A line by its offsets; `end` excludes the line break. */
interface TextLine {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of a text, in order, without the text behind a last line break if that is empty. A line of more than 1,000 code
 * units counts as several. Takes time linear in the text, and no memory.
 */
export function* textLines(text: string): Generator<TextLine, void> {
  let lineBreak = -1;
  for (let start = 0; start < text.length;) {
    // Searched once per line break, not once per piece of a long line.
    if (lineBreak < start) {
      const found = text.indexOf("\n", start);
      lineBreak = found === -1 ? text.length : found;
    }
    if (lineBreak - start <= MAX_LINE_CHARS) {
      yield { start, end: lineBreak };
      start = lineBreak + 1;
    } else {
      const end = start + safeCut(text.slice(start, start + MAX_LINE_CHARS), MAX_LINE_CHARS);
      yield { start, end };
      start = end;
    }
  }
}
