/** An estimate for English text. */
export const CHARS_PER_TOKEN = 4;

/** A tool result of at most so many characters goes into a conversation whole, with any limit: a window has much to say about itself. */
export const MIN_SHOWN_CHARS = 1_000;
