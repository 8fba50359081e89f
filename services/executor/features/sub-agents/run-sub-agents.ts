import type { LimitFunction } from "p-limit";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { DEFAULT_ORCHESTRATOR, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { NO_STEPS } from "../../core/agent-steps.ts";
import type { RunExecutions } from "../../next-session-step.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import { failExecution } from "../../persist/fail-execution.ts";
import type { AlertInput } from "../../prompts/prompt-input.ts";
import { runExecution } from "../../run-execution.ts";
import type { SubAgentState } from "../../state/session-state.ts";
import type { waitingRoom } from "../../waiting-room.ts";

interface SubAgentsOfStage {
  readonly step: RunExecutions;
  readonly alert: AlertInput;
  /** The places of the stage's agents. */
  readonly limit: LimitFunction;
  readonly waits: ReturnType<typeof waitingRoom>;
  /** Resolves once the agents that start sub-agents have ended or stopped. */
  readonly parents: Promise<unknown>;
  /** Throws between two steps if the stage cannot go on. */
  readonly throwIfStopped: () => void;
  /** Errors that are no outcome of an execution. */
  readonly failures: unknown[];
}

/**
 * Runs the sub-agents of a stage's agents beside them, those too that are started meanwhile, each until it is terminal. One that
 * is cancelled, or whose parent has ended, ends as cancelled, and one whose time is over as timed out. Errors that
 * are no outcome of a sub-agent are added to `failures`. Returns once the parents and all that was begun have stopped.
 */
export async function runSubAgents(session: OwnedSession, stage: SubAgentsOfStage): Promise<void> {
  const { step, waits, failures } = stage;
  const begun = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  const parentsDone = new AbortController();
  const settled = stage.parents.finally(() => parentsDone.abort());
  const signal = AbortSignal.any([session.signals.cancelled, session.signals.stopping, parentsDone.signal]);
  const pass = async (): Promise<number> => {
    const { subAgentsVersion: version } = session.memory;
    const { subAgents, executions } = await session.commitMutex(() => session.memory.state());
    for (const child of subAgents) {
      if (child.stage_id !== step.stage.row.stage_id || isTerminal(child.status)) continue;
      const parent = executions.find(({ execution_id }) => execution_id === child.parent_execution_id);
      if (!begun.has(child.execution_id)) {
        const stop = new AbortController();
        const agent = step.agents[(parent?.agent_index ?? 0) - 1];
        begun.set(child.execution_id, {
          stop,
          done: runSubAgent(session, stage, { child, parent: agent, stop }),
        });
      }
      const isOrphan = parent === undefined || isTerminal(parent.status);
      if (child.is_cancelled || isOrphan) begun.get(child.execution_id)?.stop.abort(stopped());
    }
    waits.entered(version);
    return version;
  };
  try {
    while (!signal.aborted) {
      const version = await pass();
      await session.memory.untilSubAgentsChange(version, signal).catch(() => undefined);
    }
    await settled;
    if (failures.length === 0 && waits.outcome() === null && !session.signals.cancelled.aborted) await pass();
  } catch (error) {
    failures.push(error);
    waits.close();
  } finally {
    await Promise.all([...begun.values()].map(({ done }) => done));
  }
}

function stopped(): CancelledError {
  return new CancelledError("user", "stopped by the agent that started it");
}

interface SubAgentRun {
  readonly child: SubAgentState;
  /** As configured. */
  readonly parent: ResolvedAgent | undefined;
  readonly stop: AbortController;
}

async function runSubAgent(
  session: OwnedSession,
  stage: SubAgentsOfStage,
  { child, parent, stop }: SubAgentRun,
): Promise<void> {
  const { step, alert, limit, waits, failures } = stage;
  const own = stoppable(session, stage, stop.signal);
  let timer: NodeJS.Timeout | undefined;
  waits.enter();
  try {
    const agent = parent?.sub_agents?.find(({ name }) => name === child.agent_name);
    if (parent === undefined || agent === undefined) {
      throw new TerminalError("malformed", `the configuration has no sub-agent ${child.agent_name}`);
    }
    const { agent_timeout_ms } = parent.orchestrator ?? DEFAULT_ORCHESTRATOR;
    for (;;) {
      const wait = await limit(() => {
        stop.signal.throwIfAborted();
        const deadlineAt =
          child.deadline_at ?? new Date(session.clock.databaseNow() + agent_timeout_ms).toISOString();
        const atDeadline = () => stop.abort(timedOut(agent_timeout_ms));
        for (const { subAgent } of session.features.list) subAgent?.(child.execution_id, atDeadline);
        timer ??= setTimeout(atDeadline, Math.max(0, Date.parse(deadlineAt) - session.clock.databaseNow()));
        const request = {
          ...step,
          synthesisInputs: [],
          previous: [],
          execution: child,
          agent,
          alert,
          firstState: { ...INITIAL_ITERATION_STATE, deadline_at: deadlineAt },
        };
        const following = () => Promise.resolve(NO_STEPS);
        return runExecution(own, { ...request, task: child.task, before: NO_STEPS, following });
      });
      if (wait === null) return;
      const isOver = await waits.sitOut(wait, stop.signal);
      stop.signal.throwIfAborted();
      if (!isOver) return;
    }
  } catch (error) {
    try {
      await endEarly(session, stage, { child, error, stop: stop.signal });
    } catch (failure) {
      session.log.debug({ execution_id: child.execution_id, error: errorMessage(failure) }, "agent stopped");
      failures.push(failure);
      waits.close();
    }
  } finally {
    clearTimeout(timer);
    waits.leave();
  }
}

/** The session as a sub-agent uses it: what stops the sub-agent stops nothing else. */
function stoppable(session: OwnedSession, stage: SubAgentsOfStage, stop: AbortSignal): OwnedSession {
  return {
    ...session,
    signals: {
      ...session.signals,
      cancelled: AbortSignal.any([session.signals.cancelled, stop]),
      throwIfStopped: () => {
        stage.throwIfStopped();
        stop.throwIfAborted();
      },
    },
  };
}

function timedOut(timeoutMs: number): CancelledError {
  return new CancelledError("session_deadline", `timed out after ${Math.round(timeoutMs / 1_000)} s`);
}

/** Ends a sub-agent that was stopped, or that cannot run; throws any other error. */
async function endEarly(
  session: OwnedSession,
  stage: SubAgentsOfStage,
  {
    child,
    error,
    stop,
  }: { readonly child: SubAgentState; readonly error: unknown; readonly stop: AbortSignal },
): Promise<void> {
  session.signals.throwIfStopped();
  stage.throwIfStopped();
  const reason: unknown = stop.aborted ? stop.reason : error;
  const isStop = stop.aborted && reason instanceof CancelledError;
  if (!isStop && !(reason instanceof TerminalError)) throw error;
  const { subAgents } = await session.commitMutex(() => session.memory.state());
  const now = subAgents.find(({ execution_id }) => execution_id === child.execution_id);
  if (now === undefined || isTerminal(now.status)) return;
  const status = !isStop ? "failed" : reason.reason === "session_deadline" ? "timed_out" : "cancelled";
  await failExecution(session, stage.step.stage, child, reason, status);
  session.tools.homes.release(child.execution_id);
}
