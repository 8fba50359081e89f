import { INITIAL_ITERATION_STATE, type IterationState } from "#shared/contracts/iteration-state.ts";
import { TerminalError } from "#shared/errors.ts";
import { backoff } from "#shared/pause.ts";
import type { Span } from "#shared/telemetry/tracing.ts";
import { AgentSteps, SessionStepsError, readAgentSteps, type SessionSteps } from "./core/agent-steps.ts";
import { agentState } from "./controllers/assemble-agent-state.ts";
import { admitCall } from "./features/budgets/admit-call.ts";
import { releaseReservation } from "./budget/release-reservation.ts";
import type { AgentStep, CallLlm } from "./core/agent-state.ts";
import { chatHistoryBytes } from "./features/chat/chat-history-bytes.ts";
import { countFailedTry } from "./count-failed-try.ts";
import { loadTold } from "./features/memories/load-told.ts";
import { nextAgentStep } from "./controllers/next-agent-step.ts";
import type { ExecutionRun } from "./core/execution-run.ts";
import type { AgentRun, RunExecutions } from "./next-session-step.ts";
import { AGENT_STEP_LABELS } from "./executor-metrics.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import { startExecution } from "./persist/execution-rows.ts";
import { failExecution } from "./persist/fail-execution.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { unfinishedStep } from "./persist/unfinished-step.ts";
import { pauseBeforeRetry } from "./pause-before-retry.ts";
import { performStep } from "./perform-step.ts";
import type { AlertInput } from "./prompts/prompt-input.ts";
import { newAgent } from "./state/agent-memory.ts";
import { loadContext } from "./state/load-context.ts";
import { loadChat } from "./features/chat/load-chat.ts";
import { loadRequiredSkills } from "./features/skills/load-required-skills.ts";
import { readInboxSeq } from "./state/read-inbox-seq.ts";
import { loadParallelResults } from "./state/load-parallel-results.ts";
import { foldSession, type SubAgentState } from "./state/session-state.ts";
import { inAgentSpan } from "./tracing/in-agent-span.ts";
import { waitLeft, type AgentWait } from "./core/wait.ts";

/** The execution to run, with everything that does not change while it runs. */
interface RunExecutionRequest
  extends AgentRun, Pick<RunExecutions, "stage" | "synthesisInputs" | "chain" | "previous" | "followUp"> {
  readonly alert: AlertInput;
  /** What a sub-agent is to do, and when its time is over, ISO 8601; absent for other agents. */
  readonly task?: string;
  readonly deadlineAt?: string;
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
  session.throwIfStopped();
  if (request.agent.mcp_servers.length > 0) session.homes.enter(execution.execution_id);
  const wait = await inAgentSpan(session.sessionId, request, (span) => runToEnd(session, request, span));
  if (wait === null) session.homes.release(execution.execution_id);
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
      const failure = await countFailedTry(session, request, session.reasonFor(error));
      if (failure instanceof TerminalError) {
        span.fail(failure.code);
        await failExecution(session, stage, execution, failure);
        return null;
      }
      await pauseBeforeRetry(session, backoff(failure.tries, RETRIES));
      // What is in memory may be what failed.
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
    if (steps.memory.status === "pending") steps.add(startExecution(stage, execution, firstState(request)));
    for (;;) {
      if (steps.isOutOfDate) {
        await steps.commit();
        steps = await readAgentSteps(session, request.execution.execution_id, steps);
      }
      const { run, step } = await decide(session, request, steps);
      const { waiting } = unfinishedStep(run, step);
      // Whether a person has decided is read again by the step itself.
      if (waiting !== null && waiting.kind !== "approval" && waitLeft(session, waiting) > 0) {
        await steps.commit();
        return waiting;
      }
      if ((await session.pacing?.admit(run, step)) === false) continue;
      const isDue =
        step.kind === "call-llm" ? await isAdmitted(run, step) : !(await hasNews(session, steps, step));
      if (!isDue) continue;
      const startedAt = performance.now();
      const wait = await performStep(run, step);
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
      if (step.status !== "completed") span.fail(step.status);
      return null;
    }
  } finally {
    steps.callsAhead[Symbol.dispose]();
  }
}

/**
 * Before a call of the model: commits what was added before, and reserves for the call where a budget limits it. False if another
 * step is due instead: because of the budget, or because others have written something for the agent since this one was decided.
 */
async function isAdmitted(run: ExecutionRun, step: CallLlm): Promise<boolean> {
  if (!(await admitCall(run, step))) return false;
  if (run.steps.isOutOfDate) releaseReservation(run);
  return !run.steps.isOutOfDate;
}

/**
 * Before the agent ends with an answer: true if others have written something for the agent since the step was decided, which may
 * then be another one.
 */
async function hasNews(session: OwnedSession, steps: AgentSteps, step: AgentStep): Promise<boolean> {
  if (step.kind !== "finish" || step.status !== "completed") return false;
  // There is no later step to hear of it, and the next renewal may be seconds away.
  if (!session.bus.isConnected()) session.inbox.notice(await readInboxSeq(session.db, session.sessionId));
  return steps.isOutOfDate;
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
    const isOpening = steps.memory.messages.length === 0;
    const skills = isOpening ? await loadRequiredSkills(session, request.agent) : [];
    const context = isOpening ? await loadContext(session, request) : null;
    const isToolsListed = request.agent.mcp_servers.every((id) => steps.memory.listings.has(id));
    const historyBytes = chatHistoryBytes(request.agent, session.maxMessageBytes);
    const isChatNext = isOpening && request.followUp?.kind === "chat";
    const chat = isChatNext ? await loadChat(session.db, stage.row, historyBytes) : null;
    const { messages } = steps.memory;
    const told = isToolsListed ? await loadTold(session, { ...request, messages }, historyBytes) : {};
    const subAgentsVersion = session.memory.subAgentsVersion;
    const subAgents = await subAgentsOf(session, request, steps);
    const { budget_until } = steps.memory.iteration;
    const { pacing } = session;
    const { execution_id } = execution;
    const isBudgetOver =
      (budget_until !== undefined && session.databaseNow() >= Date.parse(budget_until)) ||
      pacing?.isBudgetOver(execution_id) === true;
    const memory =
      pacing === undefined
        ? steps.memory
        : { ...steps.memory, evidence: pacing.evidence(execution_id, steps.memory.evidence) };
    const state = agentState(request, memory, {
      parallel,
      skills,
      context,
      chat,
      ...told,
      subAgents,
      isBudgetOver,
    });
    const run = { session, stage, execution, state, steps, subAgentsVersion };
    return { run, step: nextAgentStep(state) };
  } catch (error) {
    await steps.commit();
    throw error;
  }
}

/** The sub-agents that an execution has started, after its steps so far; none for an agent that may start none. */
async function subAgentsOf(
  session: OwnedSession,
  { agent, execution }: RunExecutionRequest,
  steps: AgentSteps,
): Promise<readonly SubAgentState[]> {
  if (agent.sub_agents === undefined) return [];
  const stored = await session.commitMutex(() => session.memory.state());
  const { subAgents } = steps.pending.map(({ rows }) => rows).reduce(foldSession, stored);
  const own = subAgents.filter((child) => child.parent_execution_id === execution.execution_id);
  return session.pacing?.seen(execution.execution_id, steps.memory.messages.length + 1, own) ?? own;
}

/** The first iteration state of a sub-agent, which stores its deadline for every owner; undefined for other agents. */
function firstState({ deadlineAt }: RunExecutionRequest): IterationState | undefined {
  return deadlineAt === undefined ? undefined : { ...INITIAL_ITERATION_STATE, deadline_at: deadlineAt };
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
