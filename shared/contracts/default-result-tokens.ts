/** A result of a server without `summarization.size_threshold_tokens` is shown whole up to this many tokens. */
export const DEFAULT_RESULT_TOKENS = 5_000;
