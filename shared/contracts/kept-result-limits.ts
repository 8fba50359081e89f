/** How much of large tool results is stored beside the conversation, in bytes of UTF-8. */
export const KEPT_RESULT_LIMITS = {
  /** Of one result; only its start is stored if it is longer. */
  call: 16 * 1024 * 1024,
  /** Of all results of a session. Calls that end at the same moment may exceed it by their own results. */
  session: 64 * 1024 * 1024,
} as const;
