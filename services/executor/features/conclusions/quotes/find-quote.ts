import { closestPlace } from "./closest-place.ts";
import { matchJson } from "./match-json.ts";
import { matchTableRow } from "./match-table-row.ts";
import { matchWords, type Where } from "./match-words.ts";
import type { PreparedText } from "./prepared-text.ts";
import { isShort, isTooShort, type QuoteForm } from "./prepared-quote.ts";
import type { QuoteMatch } from "./quote-match.ts";
import type { LineRange } from "./source-lines.ts";
import type { WordList } from "./word-list.ts";
import type { WorkLimit } from "./work-limit.ts";

/**
 * Looks for a quote in a source: the nearest right place, else the first one that a rule refuses. Returns null if there is none.
 * Throws OutOfWork.
 */
export function findQuote(
  forms: readonly QuoteForm[],
  source: PreparedText,
  lines: LineRange | null,
  work: WorkLimit,
): QuoteMatch | null {
  const words = source.words(work);
  let refused: QuoteMatch | null = null;
  for (const form of forms) {
    const within = isShort(form);
    if (isTooShort(form, lines)) continue;
    const where = { near: lines === null ? null : source.lines(work).wordsOf(lines), within };
    for (const match of matchesOf(form, source, where, work)) {
      const isRight = match.refused === null && !(form.isBare && followsAnother(words, match));
      if (isRight) return match;
      refused ??= { ...match, refused: match.refused ?? "words" };
    }
  }
  return refused;
}

/** The place that has most of a quote's words, as a match that is refused; null if it has too few. Throws OutOfWork. */
export function findClosest(
  [form]: readonly QuoteForm[],
  source: PreparedText,
  work: WorkLimit,
): QuoteMatch | null {
  if (form === undefined || isShort(form)) return null;
  const place = closestPlace(form.words, source.words(work), work);
  return place === null ? null : { ...place, notes: [], refused: "words" };
}

function* matchesOf(
  { text, parts, words }: QuoteForm,
  source: PreparedText,
  where: Where,
  work: WorkLimit,
): Generator<QuoteMatch, void> {
  const list = source.words(work);
  const literal = matchWords(parts, list, where, work);
  if (literal !== null) yield literal;
  if (parts.length !== 1) return;
  const row = matchTableRow(words, list, source.tops, where, work);
  if (row !== null) yield row;
  const members = matchJson(text, words, source, where, work);
  if (members !== null) yield members;
}

/** True if the words stand behind a number in their line, which is then the source's and not that of a line, or behind another mark. */
function followsAnother(source: WordList, { from }: QuoteMatch): boolean {
  return from > 0 && !source.isFirstOfLine(from) && /^(?:\d+|[+-])$/u.test(source.word(from - 1));
}
