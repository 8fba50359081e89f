import type { RetryableError, TerminalError } from "#shared/errors.ts";

/** How an answer ended: complete (no field set), truncated (with a note to append to its text), or failed. */
export interface FinishVerdict {
  readonly note?: string;
  readonly error?: RetryableError | TerminalError;
}

export const OUTPUT_LIMIT_NOTE = "\n\n[The answer ends here: the model reached its limit of output tokens.]";
