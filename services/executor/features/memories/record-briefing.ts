import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import { memoryLines } from "../../prompts/investigation-blocks.ts";

/** Adds which memories the first messages have, and a timeline row that shows them; they are committed with the messages. */
export function recordBriefing(run: ExecutionRun): void {
  const { execution, state, steps } = run;
  const { memories } = state;
  if (memories.length === 0) return;
  const { execution_id } = execution;
  const memory_ids = memories.map(({ memory_id }) => memory_id);
  const timeline = timelineOf(run, state.iteration.iteration);
  timeline.add({
    key: "memories",
    type: "memory_injected",
    content: memoryLines(memories),
    metadata: { count: memories.length, memory_ids },
    interactionId: null,
  });
  const { rows, events } = timeline.record();
  const sessionMemories = memory_ids.map((memory_id, index) => ({
    memory_id,
    execution_id,
    position: index + 1,
  }));
  steps.add({ rows: { ...rows, sessionMemories }, events });
}
