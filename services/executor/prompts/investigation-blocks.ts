import { alertBlock } from "./alert-block.ts";
import { contextSection } from "./context-block.ts";
import { memoryBlock } from "./memory-block.ts";
import { previousStageBlock } from "./previous-stage-block.ts";
import type { PromptInput } from "./prompt-input.ts";
import { runbookBlock } from "./runbook-block.ts";
import { assignedTask } from "./sub-agent-sections.ts";
import { taskBlock } from "./task-block.ts";

/** The user message of an investigating agent: alert, runbook, earlier stages, present time, task; that of a sub-agent is its task and the time. Ends without a newline. */
export function investigationBlocks(input: PromptInput): string {
  const { agent, alert, chain, task, memories = [] } = input;
  if (task !== undefined && task !== null) {
    return [assignedTask(task, alert.nonce), ...contextSection(input)].join("\n\n");
  }
  return [
    alertBlock(alert),
    runbookBlock(alert, chain),
    ...(memories.length === 0 ? [] : [memoryBlock(memories, alert.nonce)]),
    previousStageBlock(input),
    ...contextSection(input),
    taskBlock(agent),
  ].join("\n\n");
}
