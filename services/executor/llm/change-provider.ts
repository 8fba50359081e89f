import { NO_FAILURES, type IterationState } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { ChangeProvider } from "../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import type { ProviderColumns } from "../state/step-rows.ts";
import type { WholeRow } from "../persist/timeline-writer.ts";

/** A change of providers, and from which to which. */
interface NumberedChange extends Pick<ChangeProvider, "reason" | "errorCode" | "errorRetryable"> {
  readonly former: ResolvedProvider;
  readonly next: ResolvedProvider;
  /** The position of the new one in the agent's list, from 1. */
  readonly position: number;
}

/**
 * Adds the step that makes another provider answer the agent's calls: its timeline row, the execution's columns, and a state
 * in which no failed call is held against the new provider and the failed ones have used up no iteration.
 */
export function changeProvider(run: ExecutionRun, change: ChangeProvider): undefined {
  const { session, execution, state, steps } = run;
  const former = state.agent.llm_provider;
  const { provider: next, distance } = change.next;
  const position = (state.iteration.provider?.position ?? 0) + distance;
  const timeline = timelineOf(run, state.iteration.iteration);
  timeline.add(fallbackRow({ ...change, former, next, position }));
  const { rows, events } = timeline.record();
  const { execution_id } = execution;
  const provider = { next: providerColumns(next), former: providerColumns(former) };
  const iteration_state = stateAfterChange(state, position);
  steps.add(
    { rows: { ...rows, executionChanges: [{ execution_id, iteration_state, provider }] }, events },
    () => countFallback(session, { execution_id, former, next, reason: change.reason }),
  );
}

/** Counts and logs a change of providers that is stored. */
export function countFallback(
  { metrics, log }: Pick<ExecutionRun["session"], "metrics" | "log">,
  change: Pick<NumberedChange, "former" | "next" | "reason"> & { readonly execution_id: string },
): void {
  const { execution_id, former, next, reason } = change;
  metrics.fallbacks.inc({ from_provider: former.name, to_provider: next.name });
  log.warn({ execution_id, from: former.name, to: next.name, reason }, "another LLM provider takes over");
}

function stateAfterChange({ iteration, messages }: ExecutionRun["state"], position: number): IterationState {
  const {
    provider_failures = 0,
    uncounted = 0,
    empty_replies: _empty,
    unfinished_step: _step,
    ...rest
  } = iteration;
  return {
    ...rest,
    ...NO_FAILURES,
    provider_failures: 0,
    uncounted: uncounted + provider_failures,
    provider: { position, since_message: messages.at(-1)?.sequence_number ?? 0 },
  };
}

/** The timeline row of a change of providers. Its name in its iteration is the position, so that it is inserted once. */
export function fallbackRow({
  former,
  next,
  position,
  reason,
  errorCode,
  errorRetryable,
}: NumberedChange): WholeRow {
  const dropped = nativeTools(former).filter((tool) => !nativeTools(next).includes(tool));
  return {
    key: `provider:${position}`,
    type: "provider_fallback",
    content: `${former.name} (${former.model}) is replaced by ${next.name} (${next.model}): ${reason}`,
    metadata: {
      original_provider: former.name,
      original_backend: former.backend,
      original_model: former.model,
      fallback_provider: next.name,
      fallback_backend: next.backend,
      fallback_model: next.model,
      reason,
      attempt: position,
      error_code: errorCode,
      error_retryable: errorRetryable,
      ...(dropped.length === 0 ? {} : { native_tools_dropped: dropped }),
    },
    interactionId: null,
  };
}

function nativeTools({ native_tools }: ResolvedProvider): string[] {
  return Object.keys(native_tools).filter((tool) => native_tools[tool] === true);
}

/** A provider as an execution's row names it. */
function providerColumns({ name, backend, model }: ResolvedProvider): ProviderColumns {
  return { llm_provider: name, llm_backend: backend, model_name: model };
}
