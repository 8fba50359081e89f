import pLimit from "p-limit";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import type { RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./core/owned-session.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { NO_STEPS, type SessionSteps } from "./core/agent-steps.ts";
import { runExecution } from "./run-execution.ts";
import { runSubAgents } from "./features/sub-agents/run-sub-agents.ts";
import { waitingRoom } from "./waiting-room.ts";
import type { AgentWait } from "./core/wait.ts";

/** The steps of the session around those of a stage's only agent, which are committed with them. */
interface AroundOneAgent {
  readonly before: SessionSteps;
  readonly following: (last: readonly StepRecord[]) => Promise<SessionSteps>;
}

/**
 * Runs a stage's open executions concurrently, at most `max_parallel_agents` at a time, until each is terminal: then it
 * returns null. So do the sub-agents that they start. They do not wait for one another, and a failed execution changes only its own rows. An execution that
 * waits holds no place. If all open executions wait, returns what the session waits for.
 *
 * Throws the session's reason when cancelled. An error that is not an execution's outcome (the database is unavailable)
 * lets the other executions finish their current step, and none begins another; then it is thrown.
 */
export async function runExecutions(
  session: OwnedSession,
  step: RunExecutions,
  { before, following }: AroundOneAgent,
): Promise<AgentWait | null> {
  session.signals.throwIfStopped();
  const limit = pLimit(step.chain.max_parallel_agents);
  const { alert } = await session.commitMutex(() => session.memory.state());
  const failures: unknown[] = [];
  const throwIfStopped = () => {
    session.signals.throwIfStopped();
    if (failures.length > 0) throw new SiblingFailedError();
  };
  const signals = { ...session.signals, throwIfStopped };
  const waits = waitingRoom(session, step.runs.length);
  const run = async ({ execution, agent }: RunExecutions["runs"][number]) => {
    const agentRun = { ...step, execution, agent, alert, following };
    try {
      for (let first = before; ; first = NO_STEPS) {
        const wait = await limit(() => runExecution({ ...session, signals }, { ...agentRun, before: first }));
        if (wait === null || !(await waits.sitOut(wait))) return;
      }
    } catch (error) {
      if (error instanceof SiblingFailedError) return;
      session.log.debug(
        { execution_id: execution.execution_id, error: errorMessage(error) },
        "agent stopped",
      );
      failures.push(error);
      waits.close();
    } finally {
      waits.leave();
    }
  };
  const parents = Promise.all(step.runs.map(run));
  const mayHaveSubAgents =
    step.runs.length === 0 || step.runs.some(({ agent }) => agent.sub_agents !== undefined);
  if (mayHaveSubAgents) {
    await runSubAgents(session, { step, alert, limit, waits, parents, throwIfStopped, failures });
  }
  await parents;
  if (failures.length > 0) throw mostSignificant(failures);
  return waits.outcome();
}

/** Stops an execution whose sibling failed with an error. */
class SiblingFailedError extends Error {}

/** A cancellation explains the errors that followed from it; a terminal error outweighs one that a retry may fix. */
function mostSignificant(failures: readonly unknown[]): unknown {
  return (
    failures.find((error) => error instanceof CancelledError) ??
    failures.find((error) => error instanceof TerminalError) ??
    failures[0]
  );
}
