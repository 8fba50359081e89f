import type { ExecutionRun } from "../execution-run.ts";
import type { Conclude } from "../controllers/controller.ts";
import { commitStep } from "./commit-step.ts";
import { endExecution } from "./end-execution.ts";
import { openTimelineWriter } from "./timeline-writer.ts";

/** Writes how an execution ended, with its answer where the timeline does not have it yet. */
export async function concludeExecution(
  { session, place, execution, state }: ExecutionRun,
  { answer, ...end }: Conclude,
): Promise<void> {
  const timeline = await openTimelineWriter(session, execution, state.iteration.iteration);
  await commitStep(session, async (manager) => {
    const shown =
      answer === null || answer === ""
        ? []
        : [await timeline.addStream(manager, "answer", { content: answer, interactionId: null })];
    return { events: [...shown, ...(await endExecution(manager, place, execution, end))] };
  });
}
