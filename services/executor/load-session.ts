import type { DataSource } from "typeorm";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { AgentExecutionEntity, type AgentExecution } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity, type AlertSession } from "#shared/database/entities/alert-session.ts";
import { StageEntity, type Stage } from "#shared/database/entities/stage.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";

/** Everything the next session step is decided from. */
export interface SessionState {
  readonly status: AlertSession["status"];
  readonly chain: ResolvedChain;
  /** By stage_index. */
  readonly stages: readonly Stage[];
  /** By stage, then agent_index. */
  readonly executions: readonly AgentExecution[];
  /** The completed final analyses, by execution id. */
  readonly answers: ReadonlyMap<string, string>;
}

/** Reads a session's rows, without the alert and the conversation. Throws TerminalError if the stored chain is malformed. */
export async function loadSession(db: DataSource, sessionId: string): Promise<SessionState> {
  const [session, stages, executions, analyses] = await Promise.all([
    db.getRepository(AlertSessionEntity).findOneOrFail({
      select: { session_id: true, status: true, resolved_config: true },
      where: { session_id: sessionId },
    }),
    db.getRepository(StageEntity).find({ where: { session_id: sessionId }, order: { stage_index: "ASC" } }),
    db
      .getRepository(AgentExecutionEntity)
      .find({ where: { session_id: sessionId }, order: { agent_index: "ASC" } }),
    db.getRepository(TimelineEventEntity).find({
      select: { event_id: true, execution_id: true, content: true },
      where: { session_id: sessionId, event_type: "final_analysis", status: "completed" },
    }),
  ]);
  return {
    status: session.status,
    chain: parseResolvedChain(session.resolved_config),
    stages,
    executions,
    answers: new Map(analyses.map(({ execution_id, content }) => [execution_id, content])),
  };
}
