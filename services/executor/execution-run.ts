import type { ExecutionState } from "./persist/load-session.ts";
import type { StagePlace } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { AgentState } from "./controllers/controller.ts";

/** One execution as its steps see it. */
export interface ExecutionRun {
  readonly session: OwnedSession;
  readonly place: StagePlace;
  readonly execution: ExecutionState;
  readonly state: AgentState;
}
