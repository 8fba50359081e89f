import type { TerminalStatus } from "#shared/contracts/statuses.ts";

/** How an execution, a stage or a session ended; the error is null where it completed. */
export interface RunOutcome {
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

export const COMPLETED: RunOutcome = { status: "completed", errorMessage: null, errorCode: null };
