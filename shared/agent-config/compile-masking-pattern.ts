const INLINE_FLAGS = /^\(\?([ims]+)\)/u;

/** After a backslash these mean something to Go, but without the flag `u` silently themselves to JavaScript. */
const FOREIGN_ESCAPES = "AaCEpPQz";

/**
 * A masking pattern as a JavaScript regular expression. Flags in front are taken as Go writes them, `(?i)`, and so
 * are escapes that only Go allows, such as `\\"`. Throws SyntaxError for what is no regular expression.
 */
export function compileMaskingPattern(pattern: string): RegExp {
  const [prefix = "", letters = ""] = INLINE_FLAGS.exec(pattern) ?? [];
  const source = pattern.slice(prefix.length);
  const flags = `g${[...new Set(letters)].join("")}`;
  try {
    return new RegExp(source, `${flags}u`);
  } catch (error) {
    // Stricter than Go about lone braces and escaped punctuation, which real patterns are full of.
    if (source.includes("[:") || hasForeignEscape(source)) throw error;
    return new RegExp(source, flags);
  }
}

function hasForeignEscape(source: string): boolean {
  return [...source.matchAll(/\\(.)/gsu)].some(([, letter = ""]) => FOREIGN_ESCAPES.includes(letter));
}
