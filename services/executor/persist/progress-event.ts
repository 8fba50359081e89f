import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { stageText } from "#shared/contracts/stage-text.ts";
import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import type { SessionState, StageState } from "../state/session-state.ts";

/** A stage's row and its position in the chain. */
export interface StageContext {
  readonly row: StageState;
  /** Number of the stage's agents, without the synthesis. */
  readonly agents: number;
  /** Number of the chain's stages. */
  readonly total: number;
}

/**
 * The activity of a session beyond the number of running agents; `waiting`: the wait of one of its agents;
 * `distilling`: the tool of which a large result is summarized.
 */
type Activity =
  | "starting"
  | "investigating"
  | "synthesizing"
  | "summarizing"
  | { readonly waiting: Pick<WaitingFor, "reason"> }
  | { readonly distilling: string };

/** The part of a stage's context that its status text needs; the stage may not have a row yet. */
type ProgressContext = Pick<StageContext, "agents" | "total"> & {
  readonly row: Pick<StageState, "session_id" | "stage_id" | "stage_name" | "stage_index">;
};

/** The content of a progress event; the number of running agents is that after the step. */
export interface Progress {
  readonly stage: ProgressContext;
  readonly activity: Activity;
}

/** The session's `session.progress` event after a step that leaves `state`. */
export function progressEvent(
  { stage, activity }: Progress,
  { executions, subAgents = [] }: Pick<SessionState, "executions"> & Partial<Pick<SessionState, "subAgents">>,
): UnstampedPayload {
  const { session_id, stage_id, stage_name, stage_index } = stage.row;
  const isSynthesized = executions.some(
    (execution) => execution.stage_id === stage_id && execution.agent_index > stage.agents,
  );
  const active = [...executions, ...subAgents].filter(({ status }) => status === "active").length;
  return {
    type: "session.progress",
    session_id,
    current_stage_index: stage_index,
    current_stage_name: stage_name,
    ...(activity === "summarizing"
      ? { current_stage_type: "exec_summary" as const }
      : isSynthesized
        ? { current_stage_type: "synthesis" as const }
        : {}),
    total_stages: stage.total,
    active_executions: active,
    status_text: statusText(stage, activity, active),
  };
}

function statusText({ row, agents, total }: ProgressContext, activity: Activity, active: number): string {
  const isSummarizing = activity === "summarizing";
  const where = stageText({ index: row.stage_index, total, name: row.stage_name, isSummarizing });
  if (typeof activity === "object") {
    return "waiting" in activity
      ? `${where}: waiting, ${activity.waiting.reason}`
      : `${where}: summarizing a result of ${activity.distilling}`;
  }
  switch (activity) {
    case "starting":
      return `${where}: starting ${agentCount(agents)}`;
    case "investigating":
      return active === 0 ? `${where}: no agent running` : `${where}: ${agentCount(active)} running`;
    case "synthesizing":
      return `${where}: combining the results of ${agentCount(agents)}`;
    case "summarizing":
      return where;
    default:
      return activity satisfies never;
  }
}

function agentCount(count: number): string {
  return count === 1 ? "1 agent" : `${count} agents`;
}
