import { hasHandles } from "#shared/contracts/resolved-chain.ts";
import type { StageAnswer } from "./prompts/format-context.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import { TerminalError } from "#shared/errors.ts";
import { backoff } from "#shared/pause.ts";
import type { Span } from "#shared/telemetry/tracing.ts";
import { agentState, nextAgentStep } from "./controllers/next-agent-step.ts";
import type { AgentStep } from "./core/agent-state.ts";
import { AgentSteps, SessionStepsError, readAgentSteps, type SessionSteps } from "./core/agent-steps.ts";
import type { ExecutionRun } from "./core/execution-run.ts";
import type { AgentSetting, Loaded } from "./core/feature.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import { reasonFor } from "./core/session-parts.ts";
import { waitLeft, type AgentWait } from "./core/wait.ts";
import { countFailedTry } from "./count-failed-try.ts";
import { AGENT_STEP_LABELS } from "./executor-metrics.ts";
import { performStep } from "./perform-step.ts";
import { startExecution } from "./persist/execution-rows.ts";
import { failExecution } from "./persist/fail-execution.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { unfinishedStep } from "./persist/unfinished-step.ts";
import { readAgentHandles } from "./state/agent-handles.ts";
import { newAgent } from "./state/agent-memory.ts";
import { loadContext } from "./state/load-context.ts";
import { loadParallelResults } from "./state/load-parallel-results.ts";
import { readInboxSeq } from "./core/inbox-watch.ts";
import { inAgentSpan } from "./tracing/agent-spans.ts";

/** The execution to run. */
interface RunExecutionRequest extends AgentSetting {
  /** Replaces the iteration state of its row when it starts. */
  readonly firstState?: IterationState;
  /** Steps of the session to commit with the agent's first ones. */
  readonly before: SessionSteps;
  /** The steps of the session that follow once this agent's last steps are added: they are committed with them. */
  readonly following: (last: readonly StepRecord[]) => Promise<SessionSteps>;
}

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
): Promise<AgentWait | null> {
  const { execution } = request;
  session.signals.throwIfStopped();
  if (request.agent.mcp_servers.length > 0) session.tools.homes.enter(execution.execution_id);
  const wait = await inAgentSpan(session.sessionId, request, (span) => runToEnd(session, request, span));
  if (wait === null) session.tools.homes.release(execution.execution_id);
  return wait;
}

async function runToEnd(
  session: OwnedSession,
  request: RunExecutionRequest,
  span: Span,
): Promise<AgentWait | null> {
  const { stage, execution, before } = request;
  let steps = before.steps.length > 0 ? newSteps(session, request) : undefined;
  for (;;) {
    try {
      return await runSteps(
        session,
        request,
        steps ?? (await readAgentSteps(session, request.execution.execution_id)),
        span,
      );
    } catch (error) {
      // The session's own steps failed, or the session stops: neither is the agent's.
      if (error instanceof SessionStepsError || error instanceof StoppedError) throw error.cause;
      const failure = await countFailedTry(session, request, reasonFor(session.signals, error));
      if (failure instanceof TerminalError) {
        span.fail(failure.code);
        await failExecution(session, stage, execution, failure);
        return null;
      }
      await session.pause(backoff(failure.tries, RETRIES), session.signals.cancelled);
      // The state in memory may be the cause.
      steps = undefined;
    }
  }
}

/** The steps of an execution whose row is among the steps before it. */
function newSteps(session: OwnedSession, { execution, before }: RunExecutionRequest): AgentSteps {
  const { generation } = session.memory;
  const memory = newAgent(execution.execution_id, execution.status);
  return new AgentSteps({ session, memory, generation, inboxSeq: 0, before });
}

async function runSteps(
  session: OwnedSession,
  request: RunExecutionRequest,
  opened: AgentSteps,
  span: Span,
): Promise<AgentWait | null> {
  const { stage, execution } = request;
  let steps = opened;
  try {
    if (steps.memory.status === "pending") steps.add(startExecution(stage, execution, request.firstState));
    for (;;) {
      if (steps.isOutOfDate) {
        await steps.commit();
        steps = await readAgentSteps(session, request.execution.execution_id, steps);
      }
      const { run, step } = await decide(session, request, steps);
      const { waiting } = unfinishedStep(run, step);
      // Whether a person has decided is read again by the step itself.
      if (waiting !== null && waiting.kind !== "approval" && waitLeft(session.clock, waiting) > 0) {
        await steps.commit();
        return waiting;
      }
      if (!(await isAdmitted(run, step)) || (await hasNews(run, step))) continue;
      const startedAt = performance.now();
      const wait = await performStep(run, step.kind, step);
      const kind = AGENT_STEP_LABELS[step.kind];
      if (wait === null && step.kind === "finish") {
        await steps.commitLast(await request.following(steps.pending));
      }
      session.metrics.stepSeconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
      if (wait !== null) {
        await steps.commit();
        session.metrics.waits.inc({ kind: wait.kind });
        session.log[wait.kind === "approval" || wait.kind === "agents" ? "info" : "warn"](
          { execution_id: execution.execution_id, ...wait },
          "agent waits",
        );
        return wait;
      }
      session.metrics.steps.inc({ kind });
      if (step.kind !== "finish") continue;
      session.nextSequences.set(execution.execution_id, steps.memory.timeline.nextSequence);
      if (step.status !== "completed") span.fail(step.status);
      return null;
    }
  } finally {
    steps.callsAhead[Symbol.dispose]();
  }
}

/** True if each feature admits the step. */
async function isAdmitted(run: ExecutionRun, step: AgentStep): Promise<boolean> {
  for (const { admit } of run.session.features.list) {
    if ((await admit?.(run, step)) === false) return false;
  }
  return true;
}

/**
 * Before the agent ends with an answer: true if others have written something for the agent since the step was decided, which may
 * then be another one.
 */
async function hasNews({ session, steps }: ExecutionRun, step: AgentStep): Promise<boolean> {
  if (step.kind !== "finish" || step.status !== "completed") return false;
  // There is no later step to hear of it, and the next renewal may be seconds away.
  if (!session.bus.isConnected()) session.inbox.notice(await readInboxSeq(session.db, session.sessionId));
  return steps.isOutOfDate;
}

/** Decides the next step. Steps that were added before are committed if none can follow now. */
async function decide(
  session: OwnedSession,
  request: RunExecutionRequest,
  steps: AgentSteps,
): Promise<{ readonly run: ExecutionRun; readonly step: AgentStep }> {
  const { stage, execution, synthesisInputs } = request;
  try {
    throwIfStopped(session);
    const isOpening = steps.memory.messages.length === 0;
    let loaded: Loaded = isOpening ? { context: await loadContext(session, request) } : {};
    const handles = isOpening && hasHandles(request.agent) ? await readAgentHandles(session) : NO_HANDLES;
    if (handles.size > 0) loaded = { ...loaded, previous: withHandles(request.previous, handles) };
    if (isOpening && synthesisInputs.length > 0) {
      const parallel = await loadParallelResults(session, stage.row, synthesisInputs, handles);
      loaded = { ...loaded, parallel };
    }
    for (const { load } of session.features.list) {
      loaded = { ...loaded, ...(await load?.({ ...request, session, steps, isOpening }, loaded)) };
    }
    const state = agentState(request, steps.memory, loaded);
    return { run: { session, stage, execution, state, steps }, step: nextAgentStep(state, session.features) };
  } catch (error) {
    await steps.commit();
    throw error;
  }
}

const NO_HANDLES: ReadonlyMap<string, string> = new Map();

/** The answers of earlier stages with the names under which the results of their authors are quoted. */
function withHandles(
  previous: readonly StageAnswer[],
  handles: ReadonlyMap<string, string>,
): readonly StageAnswer[] {
  return previous.map((answer) => {
    const handle = handles.get(answer.executionId ?? "");
    return handle === undefined ? answer : { ...answer, handle };
  });
}

/** Ends the agent's run at a step's boundary; the cause is why. */
class StoppedError extends Error {}

function throwIfStopped(session: OwnedSession): void {
  try {
    session.signals.throwIfStopped();
  } catch (cause) {
    throw new StoppedError("stopped between two steps", { cause });
  }
}
