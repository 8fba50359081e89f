/** Splits text into pieces of `size` code points; the last may be shorter. An empty text has no pieces. */
export function* splitText(text: string, size: number): Generator<string> {
  let start = 0;
  let points = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (size >= text.length) break;
    if ((text.codePointAt(index) ?? 0) > 0xff_ff) index += 1;
    points += 1;
    if (points === size) {
      yield text.slice(start, index + 1);
      start = index + 1;
      points = 0;
    }
  }
  if (start < text.length) yield text.slice(start);
}
