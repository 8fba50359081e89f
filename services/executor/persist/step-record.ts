import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { StepRows } from "../state/step-rows.ts";
import type { TokenUsage } from "../state/token-usage.ts";
import type { Progress } from "./progress-event.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";

/** An event of a step; a progress event is completed by the session's state after the step. */
type StepEvent = UnstampedPayload | { readonly progress: Progress };

/** The additions of one step to the session: rows, events in their order, and tokens to its sums. */
export interface StepRecord {
  readonly rows: StepRows;
  readonly events: readonly StepEvent[];
  readonly tokens?: TokenUsage;
}

/** How an execution, a stage or a session ended; the error is null where it completed. */
export interface RunOutcome {
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

export const COMPLETED: RunOutcome = { status: "completed", errorMessage: null, errorCode: null };
