/** The exit codes of `tarsy`. docs/sessions.md lists them. */
export const EXIT = {
  done: 0,
  /** The investigation did not complete, or the command failed. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No api or notifier answers. */
  unreachable: 3,
  /** The api refused the request. */
  refused: 4,
  /** Ctrl-C. */
  interrupted: 130,
  /** The reader of the output has gone. */
  brokenPipe: 141,
} as const;
