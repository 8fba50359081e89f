import { In } from "typeorm";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import type { AgentRun, StagePlace } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import type { ParallelResults } from "./format-context.ts";

/** Reads what a stage's agents came to, for the one that combines it. */
export async function loadParallelResults(
  { db }: OwnedSession,
  { stage }: StagePlace,
  agents: readonly AgentRun[],
): Promise<ParallelResults> {
  const events = await db.getRepository(TimelineEventEntity).find({
    where: { execution_id: In(agents.map(({ execution }) => execution.execution_id)) },
    order: { sequence_number: "ASC" },
  });
  return {
    stageName: stage.stage_name,
    agents: agents.map(({ execution, agent }) => ({
      index: execution.agent_index,
      name: execution.agent_name,
      provider: agent.llm_provider.name,
      strategy: agent.iteration_strategy,
      status: execution.status,
      errorMessage: execution.error_message,
      events: events.filter(({ execution_id }) => execution_id === execution.execution_id),
    })),
  };
}
