import { standsAlone } from "./find-terms.ts";

/** A longer line is not marked as a whole. */
const MAX_LINE = 400;
/** So many places of words are marked. */
const MAX_PLACES = 100;

interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** The parts of a text to be marked, in order and apart: the lines in which any of these words are, of a long line the words. */
export function citedSpans(text: string, words: readonly string[]): readonly TextSpan[] {
  const spans = words
    .flatMap((one) => placesOf(text, one).map((at) => lineAround(text, at, at + one.length)))
    .toSorted((a, b) => a.from - b.from || b.to - a.to);
  const apart: TextSpan[] = [];
  for (const span of spans) {
    const { from, to } = apart.at(-1) ?? { from: 0, to: 0 };
    if (span.from >= to) apart.push(span);
    else if (span.to > to) apart.splice(-1, 1, { from, to: span.to });
  }
  return apart;
}

function placesOf(text: string, words: string): readonly number[] {
  const places: number[] = [];
  if (words === "") return places;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    if (standsAlone(text, at, at + words.length)) places.push(at);
    if (places.length >= MAX_PLACES) break;
  }
  return places;
}

function lineAround(text: string, from: number, to: number): TextSpan {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to);
  const line = { from: from === 0 ? 0 : start, to: end === -1 ? text.length : end };
  return line.to - line.from > MAX_LINE ? { from, to } : line;
}
