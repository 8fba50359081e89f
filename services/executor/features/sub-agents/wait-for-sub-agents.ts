import { isTerminal } from "#shared/contracts/statuses.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { waitFrom, type AgentWait } from "../../core/wait.ts";

/** After the budget, sub-agents that were asked to stop are waited for in steps of this length. */
const STOPPING_MS = 60_000;

/**
 * What an agent waits for whose sub-agents are at work: until one of them ends, something arrives in the session's inbox, or the
 * agent's budget is over. It counts against no deadline but that of the sub-agents themselves.
 */
export function waitForSubAgents({ session, state, subAgentsVersion = 0 }: ExecutionRun): AgentWait {
  const open = (state.subAgents ?? []).filter(({ status }) => !isTerminal(status));
  const { budget_until } = state.iteration;
  const leftMs = budget_until === undefined ? 0 : Date.parse(budget_until) - session.databaseNow();
  const reason = open.length === 1 ? "a sub-agent is at work" : `${open.length} sub-agents are at work`;
  const wait = waitFrom(session, null, {
    kind: "agents",
    reason,
    delayMs: leftMs > 0 ? leftMs : STOPPING_MS,
    pauses_deadline: true,
  });
  return { ...wait, subAgentsVersion, inboxSeq: session.inbox.newest };
}
