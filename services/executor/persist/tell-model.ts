import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { AgentStep } from "../controllers/controller.ts";
import { appendMessage } from "./append-message.ts";
import { commitStep } from "./commit-step.ts";

/** Stores what the model is told before it is asked again. */
export async function tellModel(
  run: ExecutionRun,
  { content, concluding }: Extract<AgentStep, { kind: "tell" }>,
): Promise<void> {
  const { session, execution, state } = run;
  await commitStep(session, async (manager) => {
    await appendMessage(manager, run, { role: "user", content });
    if (concluding) {
      await manager.update(
        AgentExecutionEntity,
        { execution_id: execution.execution_id },
        { iteration_state: { ...state.iteration, phase: "concluding" } },
      );
    }
    return { events: [] };
  });
}
