import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { ExecutionState } from "./load-session.ts";

/** Says that an execution's status is another now. */
export function executionEvent(
  execution: Pick<ExecutionState, "session_id" | "stage_id" | "execution_id" | "agent_name" | "agent_index">,
  status: RunStatus,
): SessionEventPayload {
  const { session_id, stage_id, execution_id, agent_name, agent_index } = execution;
  const timestamp = new Date().toISOString();
  return {
    type: "execution.status",
    session_id,
    stage_id,
    execution_id,
    agent_name,
    agent_index,
    status,
    timestamp,
  };
}
