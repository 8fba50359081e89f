import { Type } from "typebox";
import type { EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { StagePlace } from "../next-session-step.ts";

/** What a session is at, beyond the number of agents that run. */
export type Activity = "starting" | "investigating" | "synthesizing" | "summarizing";

/** What the phrase needs of a stage; it may not have a row yet. */
export interface ProgressPlace extends Pick<StagePlace, "agents" | "total"> {
  readonly stage: Pick<StagePlace["stage"], "session_id" | "stage_name" | "stage_index">;
}

const parseCount = compileParser("active executions", Type.Object({ active: Type.Integer() }));

const COUNT_ACTIVE = `
SELECT count(*)::int AS active FROM agent_executions WHERE session_id = $1 AND status = 'active'`;

/** Within a step's transaction, after its writes: where the session stands now. */
export async function progressEvent(
  manager: EntityManager,
  place: ProgressPlace,
  activity: Activity,
): Promise<SessionEventPayload> {
  const { session_id, stage_name, stage_index } = place.stage;
  const [row] = await selectRows(manager, parseCount, COUNT_ACTIVE, [session_id]);
  const active = row?.active ?? 0;
  return {
    type: "session.progress",
    session_id,
    current_stage_index: stage_index,
    current_stage_name: stage_name,
    total_stages: place.total,
    active_executions: active,
    status_text: statusText(place, activity, active),
    timestamp: new Date().toISOString(),
  };
}

function statusText({ stage, agents, total }: ProgressPlace, activity: Activity, active: number): string {
  const where = `Stage ${stage.stage_index + 1} of ${total} (${stage.stage_name})`;
  switch (activity) {
    case "starting":
      return `${where}: starting ${agentCount(agents)}`;
    case "investigating":
      return active === 0 ? `${where}: no agent running` : `${where}: ${agentCount(active)} running`;
    case "synthesizing":
      return `${where}: combining the results of ${agentCount(agents)}`;
    case "summarizing":
      return "Writing the executive summary";
    default:
      return activity satisfies never;
  }
}

function agentCount(count: number): string {
  return count === 1 ? "1 agent" : `${count} agents`;
}
