import type { RunOutcome } from "../persist/run-outcome.ts";
import { stageEvent } from "../persist/stage-rows.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { FollowUpState, StageState } from "../state/session-state.ts";

/** The step that starts a follow-up: from now on its time runs. */
export function startFollowUp({ follow_up_id }: FollowUpState, timeout_ms: number): StepRecord {
  return { rows: { followUpChanges: [{ follow_up_id, starts: { timeout_ms } }] }, events: [] };
}

/** The step that records how a follow-up and its stage ended. */
export function endFollowUp(
  { follow_up_id }: FollowUpState,
  stage: StageState,
  { status, errorMessage: error_message, errorCode: error_code }: RunOutcome,
): StepRecord {
  const end = { status, error_message, error_code };
  return {
    rows: {
      stageEnds: [{ stage_id: stage.stage_id, is_follow_up: true, ...end }],
      followUpChanges: [{ follow_up_id, end }],
    },
    events: [stageEvent("stage.completed", stage, status)],
  };
}
