/** More words than this tell no more about what a text is about. */
const MAX_WORDS = 300;
/** Far below what Postgres can index. */
const MAX_CHARACTERS = 50_000;

/**
 * An SQL subquery with the tsquery of memories that have any of the first words of a text, without those that every English text
 * has; null if it has no word. `text` is an SQL expression, `from` the FROM clause that it needs, or empty.
 */
export function anyWordOf(text: string, from = ""): string {
  const quoted = String.raw`'''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''`;
  return `(
  SELECT string_agg(${quoted}, ' | ')::tsquery FROM (
    SELECT word.lexeme FROM ${from === "" ? "" : `${from}, `}unnest(to_tsvector('simple', left(${text}, ${MAX_CHARACTERS}))) AS word
    WHERE ts_lexize('english_stem', word.lexeme) <> '{}' ORDER BY word.positions[1] LIMIT ${MAX_WORDS}
  ) AS words)`;
}
