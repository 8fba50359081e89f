import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { StageContext } from "./progress-event.ts";
import type { RunOutcome, StepRecord } from "./step-record.ts";
import { ofExecution, type OfExecution } from "../state/step-rows.ts";

/** The step that makes an execution active, before it does anything else; `iteration_state` replaces that of its row. */
export function startExecution(
  stage: StageContext,
  execution: ExecutionState,
  iteration_state?: IterationState,
): StepRecord {
  return {
    rows: {
      executionChanges: [
        { execution_id: execution.execution_id, starts: true, ...(iteration_state && { iteration_state }) },
      ],
    },
    events: [executionEvent(execution, "active"), { progress: { stage, activity: "investigating" } }],
  };
}

/** The step that records how an execution ended; `iteration_state` replaces that of its row. */
export function endExecution(
  stage: StageContext,
  execution: ExecutionState,
  { status, errorMessage: error_message, errorCode: error_code }: RunOutcome,
  iteration_state?: IterationState,
): StepRecord {
  const { execution_id } = execution;
  return {
    rows: {
      executionChanges: [
        {
          execution_id,
          end: { status, error_message, error_code },
          ...(iteration_state === undefined ? {} : { iteration_state }),
        },
      ],
    },
    events: [
      executionEvent(execution, status, error_message),
      { progress: { stage, activity: "investigating" } },
    ],
  };
}

/** The `execution.status` event of an execution whose status has changed to `status`, with its error if it has one. */
export function executionEvent(
  execution: Pick<ExecutionState, "session_id" | "agent_name" | "agent_index"> & OfExecution,
  status: RunStatus,
  error_message: string | null = null,
): UnstampedPayload {
  const { session_id, agent_name, agent_index } = execution;
  return {
    type: "execution.status",
    session_id,
    ...ofExecution(execution),
    agent_name,
    agent_index,
    status,
    ...(error_message === null ? {} : { error_message }),
  };
}
