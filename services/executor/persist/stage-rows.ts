import { v5 as uuidFrom } from "uuid";
import type { ResolvedAgent, ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import { AgentExecutionEntity, INITIAL_ITERATION_STATE } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import { commitStep } from "./commit-step.ts";
import { executionEvent } from "./execution-rows.ts";
import type { StageState } from "./load-session.ts";
import { progressEvent, type StageContext } from "./progress-event.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { SessionWriter } from "./session-writer.ts";

/** A stage of the chain that has no row yet. */
export interface PlannedStage {
  /** Its position in the chain, from 0. */
  readonly index: number;
  readonly plan: ResolvedStage;
  /** Number of the chain's stages. */
  readonly total: number;
}

/** Commits a stage's rows, the stage active and its executions pending, and makes it the session's current stage. */
export async function startStage(
  session: SessionWriter,
  { index, plan, total }: PlannedStage,
): Promise<void> {
  const { sessionId } = session;
  // Ids derive from the position, so that a repeated step names the same rows.
  const stageId = uuidFrom(`stage:${index}`, sessionId);
  const stage = { stage_id: stageId, session_id: sessionId, stage_name: plan.name, stage_index: index };
  await commitStep(session, async (manager) => {
    await manager.insert(StageEntity, {
      ...stage,
      expected_agent_count: plan.agents.length,
      parallel_type: plan.parallel_type,
      success_policy: plan.parallel_type === null ? null : plan.success_policy,
      status: "active",
      started_at: () => "now()",
    });
    await manager.insert(
      AgentExecutionEntity,
      plan.agents.map((agent, position) => ({
        execution_id: executionId(stageId, position + 1),
        stage_id: stageId,
        session_id: sessionId,
        agent_name: agent.name,
        agent_index: position + 1,
        status: "pending" as const,
        iteration_strategy: agent.iteration_strategy,
        iteration_state: INITIAL_ITERATION_STATE,
        llm_provider: agent.llm_provider.name,
      })),
    );
    await manager.update(
      AlertSessionEntity,
      { session_id: sessionId },
      { current_stage_index: index, current_stage_id: stageId },
    );
    const progress = await progressEvent(
      manager,
      { row: stage, agents: plan.agents.length, total },
      "starting",
    );
    return { events: [stageEvent("stage.started", stage, "active"), progress] };
  });
}

function executionId(stageId: string, agentIndex: number): string {
  return uuidFrom(`execution:${agentIndex}`, stageId);
}

/** Commits the active execution that synthesises the results of a stage's agents. */
export async function startSynthesis(
  session: SessionWriter,
  context: StageContext,
  agent: ResolvedAgent,
): Promise<void> {
  const { session_id, stage_id } = context.row;
  const execution = {
    execution_id: executionId(stage_id, context.agents + 1),
    stage_id,
    session_id,
    agent_name: agent.name,
    agent_index: context.agents + 1,
  };
  await commitStep(session, async (manager) => {
    await manager.insert(AgentExecutionEntity, {
      ...execution,
      status: "active",
      started_at: () => "now()",
      iteration_strategy: agent.iteration_strategy,
      iteration_state: INITIAL_ITERATION_STATE,
      llm_provider: agent.llm_provider.name,
    });
    const progress = await progressEvent(manager, context, "synthesizing");
    return { events: [executionEvent(execution, "active"), progress] };
  });
}

/** Commits how a stage ended; `isSummaryNext` adds a progress event for the executive summary. */
export async function completeStage(
  session: SessionWriter,
  context: StageContext,
  { outcome, isSummaryNext }: { readonly outcome: RunOutcome; readonly isSummaryNext: boolean },
): Promise<void> {
  const { row } = context;
  await commitStep(session, async (manager) => {
    await manager.update(
      StageEntity,
      { stage_id: row.stage_id },
      {
        status: outcome.status,
        completed_at: () => "now()",
        duration_ms: () => "(extract(epoch FROM now() - started_at) * 1000)::int",
        error_message: outcome.errorMessage,
        error_code: outcome.errorCode,
      },
    );
    const progress = isSummaryNext ? [await progressEvent(manager, context, "summarizing")] : [];
    return { events: [stageEvent("stage.completed", row, outcome.status), ...progress] };
  });
}

function stageEvent(
  type: "stage.started" | "stage.completed",
  stage: Pick<StageState, "session_id" | "stage_id" | "stage_name" | "stage_index">,
  status: RunStatus,
): UnstampedPayload {
  const { session_id, stage_id, stage_name, stage_index } = stage;
  return { type, session_id, stage_id, stage_name, stage_index, status };
}
