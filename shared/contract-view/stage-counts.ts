import type { ShownStageType } from "#shared/contract-view/shown-stages.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { isTerminal, type RunStatus, type SessionStatus } from "#shared/contracts/statuses.ts";

/** The members that the counts need of a shown stage. */
interface CountedStage {
  readonly stage_id: string;
  readonly stage_index: number;
  readonly status: RunStatus;
  readonly stage_type: ShownStageType;
}

/** The progress of a session, as clients of the contract see it. */
interface StageCounts {
  /** While the session runs, as many stages as are planned or shown; afterwards those that are shown. */
  readonly total_stages: number;
  readonly completed_stages: number;
  /** Those that failed or took too long. */
  readonly failed_stages: number;
  /** The number of the newest stage; null before the first. */
  readonly current_stage_index: number | null;
  readonly current_stage_id: string | null;
}

/**
 * The counts of the stages from `shownStages`, those that follow the session's end included, though none of these is the current one;
 * `planned` is the number of shown stages from `plannedStages`.
 */
export function stageCounts(
  status: SessionStatus,
  shown: readonly CountedStage[],
  planned: number,
): StageCounts {
  const current = shown.findLast(({ stage_type }) => stage_type !== "chat" && stage_type !== "scoring");
  return {
    total_stages: isTerminal(status) ? shown.length : Math.max(planned, shown.length),
    completed_stages: shown.filter((stage) => stage.status === "completed").length,
    failed_stages: shown.filter((stage) => stage.status === "failed" || stage.status === "timed_out").length,
    current_stage_index: current?.stage_index ?? null,
    current_stage_id: current?.stage_id ?? null,
  };
}

/** The number of stages that a session of this chain shows if nothing fails: its stages, their syntheses and the executive summary. */
export function plannedStages(stages: readonly Pick<ResolvedChain["stages"][number], "synthesis">[]): number {
  return stages.length + stages.filter(({ synthesis }) => synthesis !== undefined).length + 1;
}
