import pLimit from "p-limit";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { loadAlert } from "./load-agent-state.ts";
import type { RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { runExecution } from "./run-execution.ts";

/**
 * Runs a stage's open executions concurrently, at most `max_parallel_agents` at a time, until each is terminal. They do
 * not wait for one another, and a failed execution changes only its own rows.
 *
 * Throws the session's reason when cancelled. An error that is not an execution's outcome (the database is unavailable, a
 * bug) lets the other executions finish their current step, and none begins another; then it is thrown.
 */
export async function runExecutions(session: OwnedSession, step: RunExecutions): Promise<void> {
  session.throwIfStopped();
  const limit = pLimit(step.chain.max_parallel_agents);
  // Read once for all executions: it never changes, and it may be a megabyte.
  const alert = await loadAlert(session);
  const failures: unknown[] = [];
  const throwIfStopped = () => {
    session.throwIfStopped();
    if (failures.length > 0) throw new SiblingFailedError();
  };
  const run = async ({ execution, agent }: RunExecutions["runs"][number]) => {
    try {
      await runExecution({ ...session, throwIfStopped }, { ...step, execution, agent, alert });
    } catch (error) {
      if (error instanceof SiblingFailedError) return;
      session.log.debug(
        { execution_id: execution.execution_id, error: errorMessage(error) },
        "agent stopped",
      );
      failures.push(error);
    }
  };
  await Promise.all(step.runs.map((one) => limit(run, one)));
  if (failures.length > 0) throw mostSignificant(failures);
}

/** Stops an execution whose sibling failed with an error; caught in this file. */
class SiblingFailedError extends Error {}

/** A cancellation explains the errors that followed from it; a terminal error outweighs one that a retry may fix. */
function mostSignificant(failures: readonly unknown[]): unknown {
  return (
    failures.find((error) => error instanceof CancelledError) ??
    failures.find((error) => error instanceof TerminalError) ??
    failures[0]
  );
}
