import type { IterationState, UnfinishedStep } from "#shared/contracts/iteration-state.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { StageContext } from "./progress-event.ts";
import type { StepRecord } from "./step-record.ts";

/** An execution at a step; any controller's step identifies itself by kind and by the conversation's length. */
interface ExecutionAtStep {
  readonly stage: StageContext;
  readonly execution: ExecutionState;
  readonly state: { readonly messages: readonly object[]; readonly iteration: IterationState };
}

/** The history of this step; nothing if the stored history is that of another step. */
export function unfinishedStep(
  { state }: Pick<ExecutionAtStep, "state">,
  { kind }: { readonly kind: string },
): UnfinishedStep {
  const step = stepId(kind, state.iteration, state.messages.length);
  const stored = state.iteration.unfinished_step;
  return stored?.step === step ? stored : { step, failed_tries: 0, lost_calls: 0, waiting: null };
}

/** The state after `added` messages before a step that has been through something: the history stays that of the step. */
export function movedUnfinishedStep(
  iteration: IterationState,
  length: number,
  added: number,
): IterationState {
  const { unfinished_step: stored } = iteration;
  const kind = stored?.step.split(":")[0] ?? "";
  if (stored === undefined || stored.step !== stepId(kind, iteration, length)) return iteration;
  const moved = stepId(kind, iteration, length + added);
  return { ...iteration, unfinished_step: { ...stored, step: moved } };
}

/** The record of what a step without an outcome has been through, with a `session.progress` event if the agent waits. */
export function recordUnfinishedStep(
  { stage, execution, state }: ExecutionAtStep,
  unfinished_step: UnfinishedStep,
): StepRecord {
  const { waiting } = unfinished_step;
  const iteration_state = { ...state.iteration, unfinished_step };
  return {
    rows: { executionChanges: [{ execution_id: execution.execution_id, iteration_state }] },
    events: waiting === null ? [] : [{ progress: { stage, activity: { waiting } } }],
  };
}

function stepId(kind: string, { iteration }: Pick<IterationState, "iteration">, messages: number): string {
  return `${kind}:${iteration}:${messages}`;
}
