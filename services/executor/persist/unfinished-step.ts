import {
  AgentExecutionEntity,
  type IterationState,
  type UnfinishedStep,
} from "#shared/database/entities/agent-execution.ts";
import { commitStep } from "./commit-step.ts";
import type { ExecutionState } from "./load-session.ts";
import { progressEvent, type StageContext } from "./progress-event.ts";
import type { SessionWriter } from "./session-writer.ts";

/** An execution at a step; any controller's step identifies itself by kind and by the conversation's length. */
interface ExecutionAtStep {
  readonly session: SessionWriter;
  readonly stage: StageContext;
  readonly execution: ExecutionState;
  readonly state: { readonly messages: readonly object[]; readonly iteration: IterationState };
}

/** What this step has been through before; nothing if the stored history is that of another step. */
export function unfinishedStep(
  { state }: Pick<ExecutionAtStep, "state">,
  { kind }: { readonly kind: string },
): UnfinishedStep {
  const step = `${kind}:${state.iteration.iteration}:${state.messages.length}`;
  const stored = state.iteration.unfinished_step;
  return stored?.step === step ? stored : { step, failed_tries: 0, lost_calls: 0, waiting: null };
}

/** Commits what a step that has no outcome has been through, with a `session.progress` event if the agent waits. */
export async function recordUnfinishedStep(
  { session, stage, execution, state }: ExecutionAtStep,
  unfinished_step: UnfinishedStep,
): Promise<void> {
  await commitStep(session, async (manager) => {
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      { iteration_state: { ...state.iteration, unfinished_step } },
    );
    const { waiting } = unfinished_step;
    return { events: waiting === null ? [] : [await progressEvent(manager, stage, { waiting })] };
  });
}
