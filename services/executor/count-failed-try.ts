import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { CancelledError, RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { readAgentSteps } from "./core/agent-steps.ts";
import { agentState, nextAgentStep } from "./controllers/next-agent-step.ts";
import type { ExecutionRun } from "./core/execution-run.ts";
import type { AgentSetting } from "./core/feature.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import { recordUnfinishedStep, unfinishedStep } from "./persist/unfinished-step.ts";

/** How often a step may end in an error that is no outcome, e.g. a defect of ours, before its agent fails. */
const MAX_TRIES = 2;
/** A database that is slow is more likely to recover, but each try may be a paid LLM call. */
const MAX_TRIES_ON_SLOW_DATABASE = 3;

/**
 * Records that the step that is due ended in an error without a verdict: returns the number of its tries, or the error that
 * ends the agent after too many. A terminal error is returned; any other with a verdict is thrown.
 */
export async function countFailedTry(
  session: OwnedSession,
  request: AgentSetting,
  error: Error,
): Promise<{ readonly tries: number } | TerminalError> {
  if (error instanceof TerminalError) return error;
  const hasVerdict = error instanceof CancelledError || error instanceof RetryableError;
  if (hasVerdict || isDatabaseUnavailable(error)) throw error;
  const { stage, execution } = request;
  // Read from the rows, because the state in memory is not stored.
  const steps = await readAgentSteps(session, execution.execution_id);
  const run = { session, stage, execution, steps, state: agentState(request, steps.memory) };
  const step = dueStep(run);
  const history = unfinishedStep(run, step);
  const tries = history.failed_tries + 1;
  steps.add(recordUnfinishedStep(run, { ...history, failed_tries: tries, waiting: null }));
  await steps.commit();
  session.log.error(
    { execution_id: execution.execution_id, step: step.kind, tries, err: error },
    "step failed",
  );
  const isSlow = isDatabaseSlow(error);
  if (tries < (isSlow ? MAX_TRIES_ON_SLOW_DATABASE : MAX_TRIES)) return { tries };
  const code = isSlow ? "database_slow" : "internal";
  return new TerminalError(code, `a step failed ${tries} times: ${errorMessage(error)}`, { cause: error });
}

/** The step that failed: the one that the controller decides again, if deciding was not what failed. */
function dueStep({ session, state }: ExecutionRun): { readonly kind: string } {
  try {
    return nextAgentStep(state, session.features);
  } catch {
    return { kind: "decide" };
  }
}
