/** The limits of large tool results that are stored beside the conversation, in bytes of UTF-8. */
export const KEPT_RESULT_LIMITS = {
  /** The limit of one result; only its start is stored if it is longer. */
  call: 16 * 1024 * 1024,
  /** The limit of all results of a session. Calls that end at the same moment may exceed it by their own results. */
  session: 64 * 1024 * 1024,
} as const;
