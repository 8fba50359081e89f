import pLimit from "p-limit";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { loadAlert } from "./load-agent-state.ts";
import { runExecution } from "./run-execution.ts";
import type { RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";

/**
 * Runs a stage's open executions beside each other, at most `max_parallel_agents` at a time, until each of them is over.
 * None of them ever waits for another, and what ends one badly is in its own rows.
 *
 * Throws the session's reason when called off. An error that is no outcome of an agent (the database is away, a fault of
 * ours) lets the others end the step they are at, and none begins another; then it is thrown.
 */
export async function runExecutions(session: OwnedSession, step: RunExecutions): Promise<void> {
  session.throwIfStopped();
  const limit = pLimit(step.chain.max_parallel_agents);
  // The one thing that never changes, and it may be a megabyte: read once for all of them.
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
  if (failures.length > 0) throw tellingReason(failures);
}

/** Why an agent stops whose stage goes on later; never leaves this file. */
class SiblingFailedError extends Error {}

/** A reason that decides about the session outweighs what followed from it. */
function tellingReason(failures: readonly unknown[]): unknown {
  return (
    failures.find((error) => error instanceof CancelledError) ??
    failures.find((error) => error instanceof TerminalError) ??
    failures[0]
  );
}
