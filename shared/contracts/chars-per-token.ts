/** An estimate for English text. */
export const CHARS_PER_TOKEN = 4;
