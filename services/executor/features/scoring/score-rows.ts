import { scoreIdOf, type ScoreStatus } from "#shared/contracts/scoring.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import type { RunOutcome, StepRecord } from "../../persist/step-record.ts";
import { JUDGE_PROMPT_HASH } from "../../prompts/judge-prompts.ts";
import type { FollowUpState } from "../../state/session-state.ts";
import type { JudgedScore } from "../../core/agent-state.ts";

type Scored = Pick<FollowUpState, "follow_up_id">;

/** The step that records that a scoring has begun. */
export function startScore(session_id: string, { follow_up_id }: Scored): StepRecord {
  const score_id = scoreIdOf(follow_up_id);
  return {
    rows: { scoreChanges: [{ score_id, starts: { prompt_hash: JUDGE_PROMPT_HASH } }] },
    events: [scoreEvent(session_id, score_id, "in_progress")],
  };
}

/** The step that stores a score whose lessons are not drawn yet. */
export function startMemorizing(
  session_id: string,
  { follow_up_id }: Scored,
  judged: JudgedScore,
): StepRecord {
  const score_id = scoreIdOf(follow_up_id);
  return {
    rows: { scoreChanges: [{ score_id, memorizes: judged }] },
    events: [scoreEvent(session_id, score_id, "memorizing", judged.total_score)],
  };
}

/** A scoring that timed out has failed like any other. */
const STATUS: Record<TerminalStatus, ScoreStatus> = {
  completed: "failed",
  failed: "failed",
  timed_out: "failed",
  cancelled: "cancelled",
};

/**
 * The step that records how a scoring ended. Whatever ends its follow-up ends its score too, so that the session can be scored
 * again. A score whose report is written is complete: what ends the scoring later ends the drawing of lessons. One that completed
 * without a score has failed.
 */
export function endScore(
  session_id: string,
  { follow_up_id }: Scored,
  { status: outcome, errorMessage }: RunOutcome,
  judged: JudgedScore | null,
): StepRecord {
  const score_id = scoreIdOf(follow_up_id);
  if (judged !== null && judged.tool_improvement_report !== null) {
    const { total_score } = judged;
    return {
      rows: { scoreChanges: [{ score_id, end: { status: "completed", error_message: null, ...judged } }] },
      events: [scoreEvent(session_id, score_id, "completed", total_score)],
    };
  }
  const status = STATUS[outcome];
  const error_message = errorMessage ?? "the judge gave no score";
  return {
    rows: { scoreChanges: [{ score_id, end: { status, error_message } }] },
    events: [scoreEvent(session_id, score_id, status)],
  };
}

function scoreEvent(
  session_id: string,
  score_id: string,
  scoring_status: ScoreStatus,
  total_score?: number,
): UnstampedPayload {
  return {
    type: "session.score_updated",
    session_id,
    score_id,
    scoring_status,
    ...(total_score === undefined ? {} : { total_score }),
  };
}
