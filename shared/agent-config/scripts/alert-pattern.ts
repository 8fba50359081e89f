/** The regular expression of a script's `alert_matches`. Throws SyntaxError if it is none. */
export function alertPattern(text: string): RegExp {
  return new RegExp(text, "iu");
}
