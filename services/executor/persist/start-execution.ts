import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import type { ExecutionState } from "./load-session.ts";
import type { StagePlace } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "./commit-step.ts";
import { executionEvent } from "./execution-event.ts";
import { progressEvent } from "./progress-event.ts";

/** An agent's turn has come: its row says so before it does anything. */
export async function startExecution(
  session: OwnedSession,
  place: StagePlace,
  execution: ExecutionState,
): Promise<void> {
  await commitStep(session, async (manager) => {
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      { status: "active", started_at: () => "now()" },
    );
    const progress = await progressEvent(manager, place, "investigating");
    return { events: [executionEvent(execution, "active"), progress] };
  });
}
