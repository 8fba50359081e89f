import type { RunOutcome, StepRecord } from "../persist/step-record.ts";
import { stageEvent } from "../persist/stage-rows.ts";
import type { JudgedScore } from "../core/agent-state.ts";
import { endScore, startScore } from "../features/scoring/score-rows.ts";
import type { FollowUpState, StageState } from "../state/session-state.ts";

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
