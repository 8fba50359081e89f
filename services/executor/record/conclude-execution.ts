import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import type { ExecutionRun } from "../agent/execution-run.ts";
import type { Conclude } from "../agent/steps/agent-step.ts";
import { commitStep } from "./commit-step.ts";
import { openTimelineWriter } from "./timeline-writer.ts";

/** Writes how an execution ended, with its answer where the timeline does not have it yet. */
export async function concludeExecution(
  { session, execution, state }: ExecutionRun,
  { status, errorMessage, errorCode, answer }: Conclude,
): Promise<void> {
  const timeline = await openTimelineWriter(session, execution, state.iteration.iteration);
  await commitStep(session, async (manager) => {
    const events =
      answer === null || answer === ""
        ? []
        : [await timeline.addStream(manager, "answer", { content: answer, interactionId: null })];
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
    return { events };
  });
}
