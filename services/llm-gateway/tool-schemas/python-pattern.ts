/** The letters that Python allows after a backslash; `x` and `u` with their digits only. */
const ESCAPES = /\\(?![AbBdDsSwWZnrtfva0-9]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})[A-Za-z]/u;
const CLASSES = /\[(?:\\.|[^\]\\])*\]/gu;
/** A class of characters as one end of a range, which only JavaScript takes as three characters. */
const BAD_RANGE = /\\[dswDSW]-[^\]]|[^[^\\]-\\[dswDSW]/u;

/**
 * True if Python's `re` compiles a regular expression, too. False also for a few that it would compile: those that look
 * behind.
 */
export function isPythonPattern(pattern: string): boolean {
  try {
    void new RegExp(pattern);
  } catch {
    return false;
  }
  // An escaped backslash is no beginning of another escape.
  const plain = pattern.replaceAll("\\\\", "--");
  if (ESCAPES.test(plain) || plain.includes("(?<")) return false;
  // JavaScript's empty class, and its opposite.
  if (/(?<!\\)\[\^?\]/u.test(plain)) return false;
  return !(plain.match(CLASSES) ?? []).some((characters) => BAD_RANGE.test(characters));
}
