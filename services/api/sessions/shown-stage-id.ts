import { summaryStageId, synthesisStageId } from "#shared/contract-view/shown-stages.ts";

/** The id of the newest stage that clients see; `current_stage_id` is that of the chain's newest stage. */
export function shownStageId({
  id,
  current_stage_id,
  has_summary,
  has_synthesis,
}: {
  readonly id: string;
  readonly current_stage_id: string | null;
  readonly has_summary: boolean;
  readonly has_synthesis: boolean;
}): string | null {
  if (current_stage_id === null) return null;
  if (has_summary) return summaryStageId(id);
  return has_synthesis ? synthesisStageId(current_stage_id) : current_stage_id;
}
