import pLimit from "p-limit";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import { loadAlert } from "./state/load-alert.ts";
import type { RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { NO_STEPS, type SessionSteps } from "./agent-steps.ts";
import { runExecution } from "./run-execution.ts";
import { earliestWait, waitLeft, type AgentWait } from "./wait.ts";

/** A shorter wait of a whole session is not worth giving its slot back. */
const KEEP_SLOT_MS = 3_000;

/** Beyond it a timer would fire at once; the step finds that its wait goes on. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1_000;

/** The steps of the session around those of a stage's only agent, which are committed with them. */
interface AroundOneAgent {
  readonly before: SessionSteps;
  readonly following: (last: readonly StepRecord[]) => Promise<SessionSteps>;
}

/**
 * Runs a stage's open executions concurrently, at most `max_parallel_agents` at a time, until each is terminal: then it
 * returns null. They do not wait for one another, and a failed execution changes only its own rows. An execution that
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
  session.throwIfStopped();
  const limit = pLimit(step.chain.max_parallel_agents);
  // Read once for all executions: it never changes, and it may be a megabyte.
  const alert = await loadAlert(session.db, session.sessionId);
  const failures: unknown[] = [];
  const throwIfStopped = () => {
    session.throwIfStopped();
    if (failures.length > 0) throw new SiblingFailedError();
  };
  const waits = waitingRoom(session, step.runs.length);
  const run = async ({ execution, agent }: RunExecutions["runs"][number]) => {
    const agentRun = { ...step, execution, agent, alert, following };
    try {
      for (let first = before; ; first = NO_STEPS) {
        const wait = await limit(() =>
          runExecution({ ...session, throwIfStopped }, { ...agentRun, before: first }),
        );
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
  await Promise.all(step.runs.map(run));
  if (failures.length > 0) throw mostSignificant(failures);
  return waits.outcome();
}

interface WaitingRoom {
  /** Waits; resolves true when the wait is over, and false if the session is to be released instead. */
  sitOut(wait: AgentWait): Promise<boolean>;
  /** An execution has ended or stopped. */
  leave(): void;
  /** Ends all waits: the session is released. */
  close(): void;
  /** What the released session waits for; null if it was not released. */
  outcome(): AgentWait | null;
}

/** Keeps the waits of a stage's executions, and releases the session once none of the open ones can work. */
function waitingRoom(session: OwnedSession, executions: number): WaitingRoom {
  const waiting = new Set<AgentWait>();
  const closed = new AbortController();
  const signal = AbortSignal.any([session.signal, session.stopping, closed.signal]);
  let open = executions;
  let released: AgentWait | null = null;

  /** Resolves true once the wait is over or something new may end it, false if it is broken off. */
  const untilOver = async (wait: AgentWait): Promise<boolean> => {
    const settled = new AbortController();
    const either = AbortSignal.any([signal, settled.signal]);
    const waits = [pause(Math.min(MAX_PAUSE_MS, Math.max(0, waitLeft(session, wait))), either)];
    if (wait.inboxSeq !== undefined) waits.push(session.inbox.untilNewerThan(wait.inboxSeq, either));
    try {
      await Promise.race(waits);
      return true;
    } catch {
      return false;
    } finally {
      settled.abort();
    }
  };

  const releaseIfAllWait = () => {
    const [first, ...others] = waiting;
    if (first === undefined || waiting.size < open || closed.signal.aborted) return;
    const earliest = earliestWait([first, ...others]);
    if (waitLeft(session, earliest) <= KEEP_SLOT_MS) return;
    released = earliest;
    closed.abort();
  };

  return {
    sitOut: async (wait) => {
      waiting.add(wait);
      releaseIfAllWait();
      const isOver = await untilOver(wait);
      session.throwIfStopped();
      waiting.delete(wait);
      return isOver;
    },
    leave: () => {
      open -= 1;
      releaseIfAllWait();
    },
    close: () => closed.abort(),
    outcome: () => released,
  };
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
