import type { EntityManager } from "typeorm";
import { shownStages, summaryStatus, type ShownStage } from "#shared/contract-view/shown-stages.ts";
import { plannedStages } from "#shared/contract-view/stage-counts.ts";
import { parseResolvedChain, type ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import { isChainStage } from "#shared/contracts/statuses.ts";
import { AgentExecutionEntity, AlertSessionEntity, StageEntity } from "#shared/database/entities.ts";
import { readConfig } from "#shared/database/resolved-configs.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Stage } from "#shared/database/tables/stages.ts";

/** The shown stages of a session, and how many there will be if nothing fails. */
export interface SessionStages {
  readonly shown: readonly ShownStage<Stage, AgentExecution>[];
  readonly planned: number;
}

/** Reads the stages and executions of a session as clients of the contract see them. */
export async function readStages(
  manager: EntityManager,
  session: Pick<
    AlertSession,
    "session_id" | "status" | "executive_summary" | "executive_summary_error" | "config_hash"
  >,
): Promise<SessionStages> {
  const { session_id } = session;
  const stages = await manager.findBy(StageEntity, { session_id });
  const executions = await manager.findBy(AgentExecutionEntity, { session_id });
  const chain =
    chainStages(await readConfig(manager, session.config_hash)) ??
    stages.filter(isChainStage).map(() => ({}));
  const summary = summaryStatus(session, stages.filter(isChainStage), Math.max(1, chain.length));
  const planned = plannedStages(chain);
  return { shown: shownStages(session_id, { stages, executions }, summary, planned), planned };
}

/** Reads the stages of a session by its id alone. */
export async function readStagesOf(manager: EntityManager, session_id: string): Promise<SessionStages> {
  const session = await manager.findOneOrFail(AlertSessionEntity, {
    where: { session_id },
    select: {
      session_id: true,
      status: true,
      executive_summary: true,
      executive_summary_error: true,
      config_hash: true,
    },
  });
  return readStages(manager, session);
}

/** Undefined for a configuration that this version cannot read: its session is shown all the same. */
function chainStages(stored: unknown): readonly Pick<ResolvedStage, "synthesis">[] | undefined {
  try {
    return parseResolvedChain(stored).stages;
  } catch {
    return undefined;
  }
}
