import { isTerminal, type SuccessPolicy } from "#shared/contracts/statuses.ts";
import type { AgentConclusion } from "./state/agent-conclusions.ts";
import type { ExecutionState, StageState } from "./state/session-state.ts";
import { COMPLETED, type RunOutcome } from "./persist/step-record.ts";

/**
 * A stage's outcome from those of its agents, at least one, all terminal: completed by policy, else the status that all
 * share, else failed, with the error of the first agent that failed. A single agent's outcome is its stage's. Without a policy one success is enough.
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
  const why = agents.find(({ status, error_message }) => status === "failed" && error_message !== null);
  return {
    status: "failed",
    errorMessage: why === undefined ? text : `${text}: ${why.error_message}`,
    errorCode,
  };
}

/** The claim of a stage's agents about actions: executed if one of them says so, null if none says anything. */
export function claimedActions(agents: readonly ExecutionState[]): boolean | null {
  const claims = agents.flatMap(({ actions_claimed }) => actions_claimed ?? []);
  return claims.length === 0 ? null : claims.includes(true);
}

/** The outcome of a terminal stage or execution row. */
export function outcomeOf(row: StageState | ExecutionState): RunOutcome {
  const status = isTerminal(row.status) ? row.status : "failed";
  return { status, errorMessage: row.error_message, errorCode: row.error_code };
}

/**
 * True if the replicas with these conclusions need no further one: a conclusion is confirmed, or two that have a verified claim each name
 * the same first cause.
 */
export function areAgreed(
  conclusions: readonly Pick<AgentConclusion, "status" | "body" | "claims_verified">[],
): boolean {
  if (conclusions.some(({ status }) => status === "confirmed")) return true;
  const causes = conclusions.flatMap(({ body, claims_verified }) => {
    const [first] = body?.causes ?? [];
    return first === undefined || claims_verified === 0
      ? []
      : [JSON.stringify([first.entity.trim().toLowerCase(), first.kind])];
  });
  return new Set(causes).size < causes.length;
}
