import type { EntityManager } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import type { ExecutionState } from "./load-session.ts";
import type { StagePlace } from "../next-session-step.ts";
import type { RunOutcome } from "../stage-outcome.ts";
import { executionEvent } from "./execution-event.ts";
import { progressEvent } from "./progress-event.ts";

/** Writes an execution's terminal row in the running transaction and returns the events that announce it. */
export async function endExecution(
  manager: EntityManager,
  place: StagePlace,
  execution: ExecutionState,
  { status, errorMessage, errorCode }: RunOutcome,
): Promise<SessionEventPayload[]> {
  await manager.update(
    AgentExecutionEntity,
    { execution_id: execution.execution_id },
    {
      status,
      completed_at: () => "now()",
      duration_ms: () => "(extract(epoch FROM now() - started_at) * 1000)::int",
      error_message: errorMessage,
      error_code: errorCode,
    },
  );
  return [executionEvent(execution, status), await progressEvent(manager, place, "investigating")];
}
