/**
 * The length that a text to search sessions for may be: in bytes of UTF-8, because two characters are a word in some scripts, and in
 * characters, because a longer one only costs time.
 */
export const SEARCH_LENGTH = { minBytes: 3, maxCharacters: 1_000 } as const;

/** True for a text of such a length; its characters are counted as Postgres does. */
export function hasSearchLength(text: string): boolean {
  const { minBytes, maxCharacters } = SEARCH_LENGTH;
  return Buffer.byteLength(text) >= minBytes && Array.from(text).length <= maxCharacters;
}
