import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { TerminalError } from "#shared/errors.ts";
import { hasOpenSubAgents, runsOf, type RunExecutions } from "../next-session-step.ts";
import type { RunOutcome, StepRecord } from "../persist/step-record.ts";
import { placeVariables } from "../prompts/variable-placeholders.ts";
import { outcomeOf } from "../stage-outcome.ts";
import type { FollowUpState, SessionState, StageState } from "../state/session-state.ts";
import { stageEvent } from "../persist/stage-rows.ts";
import type { JudgedScore } from "../core/agent-state.ts";
import { endScore, startScore } from "../features/scoring/score-rows.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { MESSAGES } from "#shared/database/tables/messages.ts";

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
  { alert: { nonce } }: Pick<SessionState, "alert">,
  { resolved_config }: FollowUpState,
): ResolvedChain {
  return placeVariables(parseResolvedChain(resolved_config), nonce);
}

/** The steps that start a follow-up: from now on its time runs. */
export function startFollowUp(
  session_id: string,
  followUp: FollowUpState,
  timeout_ms: number,
): readonly StepRecord[] {
  const { follow_up_id, kind } = followUp;
  const start = { rows: { followUpChanges: [{ follow_up_id, kind, starts: { timeout_ms } }] }, events: [] };
  return kind === "score" ? [start, startScore(session_id, followUp)] : [start];
}

/** The steps that record how a follow-up and its stage ended; `judged` is what a judge has said. */
export function endFollowUp(
  followUp: FollowUpState,
  stage: StageState,
  outcome: RunOutcome,
  judged: JudgedScore | null = null,
): readonly StepRecord[] {
  const { follow_up_id, kind } = followUp;
  const { status, errorMessage: error_message, errorCode: error_code } = outcome;
  const end = { status, error_message, error_code };
  const ending: StepRecord = {
    rows: {
      stageEnds: [{ stage_id: stage.stage_id, is_follow_up: true, ...end }],
      followUpChanges: [{ follow_up_id, kind, end }],
    },
    events: [stageEvent("stage.completed", stage, status)],
  };
  return kind === "score" ? [ending, endScore(stage.session_id, followUp, outcome, judged)] : [ending];
}

const Reply = Type.Object(rowMembers(MESSAGES, "sequence_number", "role", "content"));
const parseReply = compileParser("message of a stage", Reply);

const REPLIES = `
SELECT sequence_number, role, content FROM messages
WHERE session_id = (SELECT session_id FROM stages WHERE stage_id = $1) AND stage_id = $1 ORDER BY sequence_number`;

/** Reads the conversation of a stage with one agent, with its last steps, which are not committed yet. Throws database errors. */
export async function loadReplies(
  db: Queryable,
  { stage_id }: Pick<StageState, "stage_id">,
  last: readonly StepRecord[],
): Promise<Static<typeof Reply>[]> {
  const stored = await selectRows(db, parseReply, REPLIES, [stage_id]);
  const added = last.flatMap(({ rows: { messages = [] } }) => messages);
  const bySequence = new Map([...stored, ...added].map((message) => [message.sequence_number, message]));
  return [...bySequence.values()].toSorted((a, b) => a.sequence_number - b.sequence_number);
}
