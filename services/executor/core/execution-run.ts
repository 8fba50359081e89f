import type { AgentState } from "./agent-state.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { StageContext } from "../persist/progress-event.ts";
import { TimelineWriter } from "../persist/timeline-writer.ts";
import type { AgentSteps } from "./agent-steps.ts";
import type { ExecutionState } from "../state/session-state.ts";

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

/** A writer of an execution's timeline rows in this iteration; `streamKey` as in its options. */
export function timelineOf(
  { session, execution, state, steps }: ExecutionRun,
  iteration: number,
  streamKey = "",
): TimelineWriter {
  const { sessionId, streams } = session;
  const commit = async (opened: Parameters<AgentSteps["add"]>[0]) => {
    steps.add(opened);
    await steps.commit();
  };
  const { timeline } = steps.memory;
  const options = {
    sessionId,
    execution,
    iteration,
    streamKey,
    keptBeforeAnswer: nativeRows(state.agent),
    timeline,
  };
  return new TimelineWriter(options, { streams, commit });
}

/** More rows of native tools than an answer has. */
const MAX_NATIVE_ROWS = 32;

/** How many rows of the provider's own tools may belong before the answer: they are known at its end only. */
function nativeRows({ iteration_strategy, llm_provider: { native_tools } }: AgentState["agent"]): number {
  // A ReAct reply has none.
  if (iteration_strategy === "react") return 0;
  return Object.values(native_tools).includes(true) ? MAX_NATIVE_ROWS : 0;
}
