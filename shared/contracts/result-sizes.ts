/** An estimate for English text. */
export const CHARS_PER_TOKEN = 4;

/** A tool result of at most so many characters goes into a conversation whole, with any limit: a window has much to say about itself. */
export const MIN_SHOWN_CHARS = 1_000;

/** A result of a server without `summarization.size_threshold_tokens` is shown whole up to this many tokens. */
export const DEFAULT_RESULT_TOKENS = 5_000;

/** The limits of large tool results that are stored beside the conversation, in bytes of UTF-8. */
export const KEPT_RESULT_LIMITS = {
  /** The limit of one result; only its start is stored if it is longer. */
  call: 16 * 1024 * 1024,
  /** The limit of all results of a session. Calls that end at the same moment may exceed it by their own results. */
  session: 64 * 1024 * 1024,
} as const;
