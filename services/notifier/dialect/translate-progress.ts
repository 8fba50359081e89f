import type { SocketMessage } from "#shared/contract-view/socket-message.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { withoutStage } from "#shared/contracts/stage-text.ts";
import type { PlanNumbering } from "./plan-numbering.ts";

/** The number of a chain's first stage in stored events. */
const FIRST_INDEX = 1;

/** A session's progress with the number and name of the shown stage that is at work. */
export function translateProgress(
  payload: Extract<SessionEventPayload, { type: "session.progress" }>,
  plan: PlanNumbering,
): Extract<SocketMessage, { type: "session.progress" }> {
  const { session_id, current_stage_index, current_stage_name, current_stage_type, timestamp } = payload;
  const { active_executions, status_text } = payload;
  const last = plan.stages.length - 1;
  const stage = plan.stages[Math.min(Math.max(0, current_stage_index - FIRST_INDEX), last)];
  const shown =
    current_stage_type === "exec_summary"
      ? plan.summary
      : current_stage_type === "synthesis"
        ? (stage?.synthesis ?? stage)
        : stage;
  return {
    type: "session.progress",
    session_id,
    current_stage_name: shown?.name ?? current_stage_name,
    current_stage_index: shown?.index ?? 1,
    total_stages: plan.total,
    active_executions,
    // The number in the text is that of the chain's stages, which is not the shown one.
    status_text: withoutStage(status_text, current_stage_name),
    timestamp,
  };
}
