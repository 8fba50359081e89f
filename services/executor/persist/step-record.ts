import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { StepRows } from "../state/step-rows.ts";
import type { TokenUsage } from "../state/token-usage.ts";
import type { Progress } from "./progress-event.ts";

/** An event of a step; a progress event is completed by the session's state after the step. */
type StepEvent = UnstampedPayload | { readonly progress: Progress };

/** What one step adds to the session: rows, events in their order, and tokens to its sums. */
export interface StepRecord {
  readonly rows: StepRows;
  readonly events: readonly StepEvent[];
  readonly tokens?: TokenUsage;
}
