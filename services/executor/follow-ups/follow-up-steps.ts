import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { TerminalError } from "#shared/errors.ts";
import { hasOpenSubAgents, runsOf, type RunExecutions } from "../next-session-step.ts";
import type { RunOutcome } from "../persist/step-record.ts";
import { placeVariables } from "../prompts/variable-placeholders.ts";
import { outcomeOf } from "../stage-outcome.ts";
import type { FollowUpState, SessionState, StageState } from "../state/session-state.ts";

/** The next step of a piece of work on an ended session. It depends on the session's rows alone. */
export type FollowUpStep =
  /** Its cancel was recorded, perhaps before this executor took over. */
  | { readonly kind: "stop-cancelling" }
  | { readonly kind: "start"; readonly followUp: FollowUpState; readonly timeoutMs: number }
  | RunExecutions
  | {
      readonly kind: "complete";
      readonly followUp: FollowUpState;
      readonly stage: StageState;
      readonly outcome: RunOutcome;
    }
  | { readonly kind: "ended" };

/**
 * A follow-up starts, its agent runs, and the agent's outcome is that of the stage and of the follow-up. Throws TerminalError
 * `malformed` for one without its rows or with a configuration that cannot be read, and RetryableError `other_version`.
 */
export function nextFollowUpStep(state: SessionState, followUpId: string): FollowUpStep {
  const followUp = state.followUps.find(({ follow_up_id }) => follow_up_id === followUpId);
  if (followUp === undefined) return { kind: "ended" };
  if (followUp.is_cancelled) return { kind: "stop-cancelling" };
  const chain = followUpChain(state, followUp);
  if (followUp.status === "pending") {
    return { kind: "start", followUp, timeoutMs: chain.session_timeout_ms };
  }
  const stage = state.stages.find(({ stage_id }) => stage_id === followUp.stage_id);
  const [plan] = chain.stages;
  const [run] = stage === undefined || plan === undefined ? [] : runsOf(state, stage, plan);
  if (stage === undefined || plan === undefined || run === undefined) {
    throw new TerminalError("malformed", `follow-up ${followUpId} lacks its stage or its execution`);
  }
  const isOver = isTerminal(run.execution.status);
  if (isOver && !hasOpenSubAgents(state, stage)) {
    return { kind: "complete", followUp, stage, outcome: outcomeOf(run.execution) };
  }
  return {
    kind: "run-executions",
    stage: { row: stage, agents: plan.agents.length, total: chain.stages.length },
    runs: isOver ? [] : [run],
    synthesisInputs: [],
    chain,
    agents: plan.agents,
    followUp,
    previous: [],
  };
}

/** The configuration with which a follow-up was asked for: a chain of one stage. */
function followUpChain(
  { nonce }: Pick<SessionState, "nonce">,
  { resolved_config }: FollowUpState,
): ResolvedChain {
  return placeVariables(parseResolvedChain(resolved_config), nonce);
}
