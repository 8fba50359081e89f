import { safeCut } from "#shared/safe-cut.ts";

/** The text, or its beginning of at most `limit` code units, which ends with a word if it has white space. */
export function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, safeCut(text, limit));
  if (/\s/u.test(text.charAt(cut.length))) return cut.trimEnd();
  let end = cut.length;
  while (end > 0 && !/\s/u.test(cut.charAt(end - 1))) end -= 1;
  return end === 0 ? cut : cut.slice(0, end).trimEnd();
}
