import { safeCut } from "#shared/safe-cut.ts";

/** Text with at most this many UTF-16 code units, and a mark where it was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return max === 0 ? "" : `${text.slice(0, safeCut(text, max - 1))}…`;
}
