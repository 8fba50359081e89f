import type { AgentState } from "./controllers/controller.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { ExecutionState } from "./persist/load-session.ts";
import type { StageContext } from "./persist/progress-event.ts";

/** An execution at one of its steps. */
export interface ExecutionRun {
  readonly session: OwnedSession;
  readonly stage: StageContext;
  readonly execution: ExecutionState;
  readonly state: AgentState;
}
