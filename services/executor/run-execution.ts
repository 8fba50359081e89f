import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { isDatabaseSlow } from "#shared/database/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { CancelledError, RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import { AgentSteps, NO_STEPS, SessionStepsError, type SessionSteps } from "./agent-steps.ts";
import type { AgentState, AgentStep } from "./controllers/controller.ts";
import { nextAgentStep } from "./controllers/next-agent-step.ts";
import { agentWithProvider } from "./controllers/choose-provider.ts";
import { timelineOf, type ExecutionRun } from "./execution-run.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import type { AgentRun, RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { appendUserMessage, openConversation } from "./persist/conversation.ts";
import { endExecution, startExecution } from "./persist/execution-rows.ts";
import { failExecution } from "./persist/fail-execution.ts";
import { changeProvider } from "./llm/change-provider.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { recordUnfinishedStep, unfinishedStep } from "./persist/unfinished-step.ts";
import type { AlertInput } from "./prompts/prompt-input.ts";
import { newAgent, type AgentMemory } from "./state/agent-memory.ts";
import { loadAgent } from "./state/load-agent.ts";
import { loadParallelResults } from "./state/load-parallel-results.ts";
import { announceToolCall, performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";
import { waitLeft } from "./wait.ts";

/** The execution to run, with everything that does not change while it runs. */
interface RunExecutionRequest
  extends AgentRun, Pick<RunExecutions, "stage" | "synthesisInputs" | "chain" | "previous"> {
  readonly alert: AlertInput;
  /** Steps of the session to commit with the agent's first ones. */
  readonly before: SessionSteps;
  /** The steps of the session that follow once this agent's last steps are added: they are committed with them. */
  readonly following: (last: readonly StepRecord[]) => Promise<SessionSteps>;
}

/** How often a step may end in an error that is no outcome, e.g. a defect of ours, before its agent fails. */
const MAX_TRIES = 2;
/** A database that is slow is more likely to recover, but each try may be a paid LLM call. */
const MAX_TRIES_ON_SLOW_DATABASE = 3;
const RETRIES = { firstMs: 1_000, lastMs: 5_000 };

/**
 * Runs one agent: reads the stored state, lets the agent's controller decide the next step, performs it, commits the
 * outcome and repeats. Returns null once the execution's row is terminal, or what the agent waits for. A terminal error
 * ends the execution as failed, and so does an error without a verdict that a step meets repeatedly. Throws the session
 * signal's reason when cancelled, and errors of unavailable dependencies.
 */
export async function runExecution(
  session: OwnedSession,
  request: RunExecutionRequest,
): Promise<WaitingFor | null> {
  const { stage, execution, before } = request;
  session.throwIfStopped();
  let steps = before.steps.length > 0 ? newSteps(session, request) : undefined;
  for (;;) {
    try {
      return await runSteps(session, request, steps ?? (await readSteps(session, request)));
    } catch (error) {
      // The session's own steps failed, or the session stops: neither is the agent's.
      if (error instanceof SessionStepsError || error instanceof StoppedError) throw error.cause;
      const failure = await countTry(session, request, session.reasonFor(error));
      if (failure instanceof TerminalError) {
        await failExecution(session, stage, execution, failure);
        return null;
      }
      await pause(backoff(failure.tries, RETRIES), session.signal);
      // What is in memory may be what failed.
      steps = undefined;
    }
  }
}

/** The steps of an execution whose row is among the steps before it. */
function newSteps(session: OwnedSession, { execution, before }: RunExecutionRequest): AgentSteps {
  const { generation } = session.memory;
  const memory = newAgent(execution.execution_id, execution.status);
  return new AgentSteps({ session, memory, generation, before });
}

async function readSteps(session: OwnedSession, { execution }: RunExecutionRequest): Promise<AgentSteps> {
  const { generation } = session.memory;
  const memory = await loadAgent(session.db, execution.execution_id);
  return new AgentSteps({ session, memory, generation, before: NO_STEPS });
}

/**
 * Records that the step that is due ended in an error without a verdict: returns the number of its tries, or the error that
 * ends the agent after too many. A terminal error is returned; any other with a verdict is thrown.
 */
async function countTry(
  session: OwnedSession,
  request: RunExecutionRequest,
  error: Error,
): Promise<{ readonly tries: number } | TerminalError> {
  if (error instanceof TerminalError) return error;
  const hasVerdict = error instanceof CancelledError || error instanceof RetryableError;
  if (hasVerdict || isDatabaseUnavailable(error)) throw error;
  const { stage, execution } = request;
  // From the rows: what is in memory is not stored.
  const steps = await readSteps(session, request);
  const run = { session, stage, execution, steps, state: agentState(request, steps.memory, null) };
  const step = dueStep(run.state);
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
function dueStep(state: AgentState): { readonly kind: string } {
  try {
    return nextAgentStep(state);
  } catch {
    return { kind: "decide" };
  }
}

async function runSteps(
  session: OwnedSession,
  request: RunExecutionRequest,
  opened: AgentSteps,
): Promise<WaitingFor | null> {
  const { stage, execution } = request;
  let steps = opened;
  if (steps.memory.status === "pending") steps.add(startExecution(stage, execution));
  for (;;) {
    if (steps.isOutOfDate) {
      await steps.commit();
      steps = await readSteps(session, request);
    }
    const { run, step } = await decide(session, request, steps);
    const { waiting } = unfinishedStep(run, step);
    if (waiting !== null && waitLeft(session, waiting) > 0) {
      await steps.commit();
      return waiting;
    }
    const startedAt = performance.now();
    const wait = await perform(run, step);
    const kind = METRIC_KINDS[step.kind];
    if (wait === null && step.kind === "finish") {
      await steps.commitLast(await request.following(steps.pending));
    }
    session.metrics.stepSeconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
    if (wait !== null) {
      await steps.commit();
      session.metrics.waits.inc({ kind: wait.kind });
      session.log.warn({ execution_id: execution.execution_id, ...wait }, "agent waits");
      return wait;
    }
    session.metrics.steps.inc({ kind });
    if (step.kind === "finish") return null;
  }
}

/** Decides the next step. What was added before is committed if no step can follow now. */
async function decide(
  session: OwnedSession,
  request: RunExecutionRequest,
  steps: AgentSteps,
): Promise<{ readonly run: ExecutionRun; readonly step: AgentStep }> {
  const { stage, execution, synthesisInputs } = request;
  try {
    throwIfStopped(session);
    // Only the first messages of a synthesis need the other agents' results.
    const isSynthesisNext = synthesisInputs.length > 0 && steps.memory.messages.length === 0;
    const parallel = isSynthesisNext ? await loadParallelResults(session, stage.row, synthesisInputs) : null;
    const state = agentState(request, steps.memory, parallel);
    return { run: { session, stage, execution, state, steps }, step: nextAgentStep(state) };
  } catch (error) {
    await steps.commit();
    throw error;
  }
}

/** Ends the agent's run at a step's boundary; the cause is why. */
class StoppedError extends Error {}

function throwIfStopped(session: OwnedSession): void {
  try {
    session.throwIfStopped();
  } catch (cause) {
    throw new StoppedError("stopped between two steps", { cause });
  }
}

/** Label values are part of the metrics' public interface: they stay when a step's kind is renamed. */
export const METRIC_KINDS: Record<AgentStep["kind"], string> = {
  "list-tools": "list-tools",
  "open-conversation": "open-conversation",
  "append-user-message": "tell",
  "call-llm": "call-llm",
  "change-provider": "change-provider",
  "run-tool": "run-tool",
  finish: "conclude",
};

function agentState(
  { agent, chain, previous, alert }: RunExecutionRequest,
  { iteration, messages, listings }: AgentMemory,
  parallel: AgentState["parallel"],
): AgentState {
  // In the agent's order of servers, so that a resumed prompt lists the tools in the same order.
  const listed = agent.mcp_servers.map((id) => listings.get(id));
  const tools = listed.every((ofServer) => ofServer !== undefined) ? listed.flat() : null;
  return {
    agent: agentWithProvider(agent, iteration),
    chain,
    previous,
    alert,
    parallel,
    tools,
    messages,
    iteration,
  };
}

/**
 * Performs one step and adds its outcome to the agent's steps; a step that asks others first commits what was added before.
 * Returns what the step waits for if it has no outcome yet.
 */
async function perform(run: ExecutionRun, step: AgentStep): Promise<WaitingFor | null> {
  const { steps } = run;
  switch (step.kind) {
    case "open-conversation":
      steps.add(openConversation(run, step.messages));
      return null;
    case "append-user-message":
      steps.add(appendUserMessage(run, step));
      return null;
    case "change-provider":
      changeProvider(run, step);
      return null;
    case "finish":
      finishExecution(run, step);
      return null;
    case "list-tools":
      await steps.commit();
      return performToolListing(run, step);
    case "call-llm":
      await steps.commit();
      return withOutcomeTime(steps, () => performLlmCall(run, step));
    case "run-tool":
      announceToolCall(run, step);
      await steps.commit();
      await withOutcomeTime(steps, () => performToolCall(run, step));
      return null;
    default:
      return step satisfies never;
  }
}

/** From the outcome of this call on, time counts towards the iteration's next one. */
async function withOutcomeTime<T>(steps: AgentSteps, call: () => Promise<T>): Promise<T> {
  const result = await call();
  steps.outcomeAt = performance.now();
  return result;
}

/** Adds how the execution ends, and its answer where the timeline does not have it yet. */
function finishExecution(
  run: ExecutionRun,
  { answer, ...outcome }: Extract<AgentStep, { kind: "finish" }>,
): void {
  const { stage, execution, state, steps } = run;
  const timeline = timelineOf(run, state.iteration.iteration);
  if (answer !== null && answer !== "") {
    timeline.addStream("answer", { content: answer, interactionId: null });
  }
  steps.add(timeline.record());
  steps.add(endExecution(stage, execution, outcome));
}
