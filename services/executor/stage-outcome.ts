import { isTerminal, type SuccessPolicy, type TerminalStatus } from "#shared/contracts/statuses.ts";
import type { ExecutionState, StageState } from "./persist/load-session.ts";

/** How a stage or session ends, with the first failure's words where it did not complete. */
export interface RunOutcome {
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

export const COMPLETED: RunOutcome = { status: "completed", errorMessage: null, errorCode: null };

/**
 * How a stage ends by its agents' ends, one or more, all of them terminal: completed by policy, else the status that all share, else
 * failed. A single agent speaks for its stage. Without a policy (a single agent's stage has none) one success is enough.
 */
export function stageOutcome(agents: readonly ExecutionState[], policy: SuccessPolicy | null): RunOutcome {
  const [first, second] = agents;
  const completed = agents.filter(({ status }) => status === "completed").length;
  const enough = policy === "all" ? agents.length : 1;
  if (completed >= enough) return COMPLETED;
  if (first !== undefined && second === undefined) return outcomeOf(first);
  const errorCode = agents.find(({ error_code }) => error_code !== null)?.error_code ?? null;
  if (agents.every(({ status }) => status === "timed_out")) {
    return { status: "timed_out", errorMessage: "all agents timed out", errorCode };
  }
  if (agents.every(({ status }) => status === "cancelled")) {
    return { status: "cancelled", errorMessage: "all agents cancelled", errorCode };
  }
  const text = policy === "all" ? "one or more agents failed" : "all agents failed";
  return { status: "failed", errorMessage: text, errorCode };
}

/** How a stage or an execution that is over ended. */
export function outcomeOf(row: StageState | ExecutionState): RunOutcome {
  const status = isTerminal(row.status) ? row.status : "failed";
  return { status, errorMessage: row.error_message, errorCode: row.error_code };
}
