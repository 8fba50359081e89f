import type { AgentState } from "./controllers/controller.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { StageContext } from "./persist/progress-event.ts";
import { TimelineWriter } from "./persist/timeline-writer.ts";
import type { AgentSteps } from "./agent-steps.ts";
import type { ExecutionState } from "./state/session-state.ts";

/** An execution at one of its steps. */
export interface ExecutionRun {
  readonly session: OwnedSession;
  readonly stage: StageContext;
  readonly execution: ExecutionState;
  /** The state that decided the step. */
  readonly state: AgentState;
  /** The execution's steps; the step's outcome is added to them. */
  readonly steps: AgentSteps;
}

/** A writer of an execution's timeline rows in this iteration. */
export function timelineOf({ session, execution, steps }: ExecutionRun, iteration: number): TimelineWriter {
  const { sessionId, streams } = session;
  const commit = async (opened: Parameters<AgentSteps["add"]>[0]) => {
    steps.add(opened);
    await steps.commit();
  };
  const { timeline } = steps.memory;
  return new TimelineWriter({ sessionId, execution, iteration, timeline }, { streams, commit });
}
