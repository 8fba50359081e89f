import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { isDatabaseSlow } from "#shared/database/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { CancelledError, RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { AgentState, AgentStep } from "./controllers/controller.ts";
import { nextAgentStep } from "./controllers/next-agent-step.ts";
import type { ExecutionRun } from "./execution-run.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import { loadAgentState, loadParallelResults } from "./load-agent-state.ts";
import type { AgentRun, RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { appendUserMessage, openConversation } from "./persist/conversation.ts";
import { failExecution, finishExecution, startExecution } from "./persist/execution-rows.ts";
import { recordUnfinishedStep, unfinishedStep } from "./persist/unfinished-step.ts";
import type { AlertInput } from "./prompts/prompt-input.ts";
import { performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";
import { waitLeft } from "./wait.ts";

/** The execution to run, with everything that does not change while it runs. */
type RunExecutionRequest = AgentRun &
  Pick<RunExecutions, "stage" | "synthesisInputs" | "chain" | "previous"> & { readonly alert: AlertInput };

/** How often a step may end in an error that is no outcome, e.g. a defect of ours, before its agent fails. */
const MAX_TRIES = 2;
/** A database that is slow is more likely to recover, but each try may be a paid LLM call. */
const MAX_TRIES_ON_SLOW_DATABASE = 3;
const RETRIES = { firstMs: 1_000, lastMs: 5_000 };

/**
 * Runs one agent: loads the stored state, lets the agent's controller decide the next step, performs it, commits the
 * outcome and repeats. Returns null once the execution's row is terminal, or what the agent waits for. A terminal error
 * ends the execution as failed, and so does an error without a verdict that a step meets repeatedly. Throws the session
 * signal's reason when cancelled, and errors of unavailable dependencies.
 */
export async function runExecution(
  session: OwnedSession,
  request: RunExecutionRequest,
): Promise<WaitingFor | null> {
  const { stage, execution } = request;
  session.throwIfStopped();
  if (execution.status === "pending") await startExecution(session, stage, execution);
  for (;;) {
    try {
      return await runSteps(session, request);
    } catch (error) {
      const failure = error instanceof FailedTryError ? finalError(error) : error;
      if (failure instanceof TerminalError) {
        await failExecution(session, stage, execution, failure);
        return null;
      }
      if (!(failure instanceof FailedTryError)) throw failure;
      await pause(backoff(failure.tries, RETRIES), session.signal);
    }
  }
}

/** A step ended in an error without a verdict, and that is recorded; caught in this file. */
class FailedTryError extends Error {
  readonly tries: number;
  override readonly cause: Error;

  constructor(tries: number, cause: Error) {
    super(cause.message, { cause });
    this.tries = tries;
    this.cause = cause;
  }
}

/** The error that ends the agent after too many tries, else the given one. */
function finalError(failed: FailedTryError): TerminalError | FailedTryError {
  const { tries, cause } = failed;
  const isSlow = isDatabaseSlow(cause);
  if (tries < (isSlow ? MAX_TRIES_ON_SLOW_DATABASE : MAX_TRIES)) return failed;
  const code = isSlow ? "database_slow" : "internal";
  return new TerminalError(code, `a step failed ${tries} times: ${errorMessage(cause)}`, { cause });
}

async function runSteps(session: OwnedSession, request: RunExecutionRequest): Promise<WaitingFor | null> {
  const { stage, execution } = request;
  for (;;) {
    session.throwIfStopped();
    const state = await loadState(session, request);
    const run = { session, stage, execution, state };
    const step = await decide(run);
    const { waiting } = unfinishedStep(run, step);
    if (waiting !== null && waitLeft(session, waiting) > 0) return waiting;
    const startedAt = performance.now();
    const wait = await perform(run, step).catch(async (error: unknown) => {
      throw await countTry(run, step, session.reasonFor(error));
    });
    const kind = METRIC_KINDS[step.kind];
    session.metrics.stepSeconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
    if (wait !== null) {
      session.metrics.waits.inc({ kind: wait.kind });
      session.log.warn({ execution_id: execution.execution_id, ...wait }, "agent waits");
      return wait;
    }
    session.metrics.steps.inc({ kind });
    if (step.kind === "finish") return null;
  }
}

async function decide(run: ExecutionRun): Promise<AgentStep> {
  try {
    return nextAgentStep(run.state);
  } catch (error) {
    throw await countTry(run, { kind: "decide" }, run.session.reasonFor(error));
  }
}

/** Records that a step ended in an error without a verdict; returns the error to throw. */
async function countTry(run: ExecutionRun, step: { readonly kind: string }, error: Error): Promise<Error> {
  const hasVerdict =
    error instanceof CancelledError || error instanceof TerminalError || error instanceof RetryableError;
  if (hasVerdict || isDatabaseUnavailable(error)) return error;
  const { session, execution } = run;
  const before = unfinishedStep(run, step);
  const failed_tries = before.failed_tries + 1;
  await recordUnfinishedStep(run, { ...before, failed_tries, waiting: null });
  session.log.error(
    { execution_id: execution.execution_id, step: step.kind, tries: failed_tries, err: error },
    "step failed",
  );
  return new FailedTryError(failed_tries, error);
}

/** Label values are part of the metrics' public interface: they stay when a step's kind is renamed. */
export const METRIC_KINDS: Record<AgentStep["kind"], string> = {
  "list-tools": "list-tools",
  "open-conversation": "open-conversation",
  "append-user-message": "tell",
  "call-llm": "call-llm",
  "run-tool": "run-tool",
  finish: "conclude",
};

async function loadState(session: OwnedSession, request: RunExecutionRequest): Promise<AgentState> {
  const { stage, execution, agent, chain, previous, alert, synthesisInputs } = request;
  const stored = await loadAgentState(session, execution, { agent, chain, previous, alert });
  // Only the first messages of a synthesis need the other agents' results.
  if (synthesisInputs.length === 0 || stored.messages.length > 0) return { ...stored, parallel: null };
  return { ...stored, parallel: await loadParallelResults(session, stage.row, synthesisInputs) };
}

/** Performs and commits one step; returns what it waits for if it has no outcome yet. */
async function perform(run: ExecutionRun, step: AgentStep): Promise<WaitingFor | null> {
  switch (step.kind) {
    case "list-tools":
      return performToolListing(run, step);
    case "open-conversation":
      await openConversation(run, step.messages);
      return null;
    case "append-user-message":
      await appendUserMessage(run, step);
      return null;
    case "call-llm":
      return performLlmCall(run, step);
    case "run-tool":
      await performToolCall(run, step);
      return null;
    case "finish":
      await finishExecution({ ...run, iteration: run.state.iteration.iteration }, step);
      return null;
    default:
      return step satisfies never;
  }
}
