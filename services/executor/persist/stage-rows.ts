import { v5 as uuidFrom } from "uuid";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import { AgentExecutionEntity, INITIAL_ITERATION_STATE } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import type { StageState } from "./load-session.ts";
import type { SessionStep } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "./commit-step.ts";
import { executionEvent } from "./execution-event.ts";
import { progressEvent } from "./progress-event.ts";

type StepOf<K extends SessionStep["kind"]> = Extract<SessionStep, { kind: K }>;

/** Creates a stage's rows, the stage active and its executions pending, and makes it the session's current one. */
export async function startStage(
  session: OwnedSession,
  { index, plan, total }: StepOf<"start-stage">,
): Promise<void> {
  const { sessionId } = session;
  // Ids derive from their place, so that a step made twice names the same rows.
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
    const place = { stage, agents: plan.agents.length, total };
    const progress = await progressEvent(manager, place, "starting");
    return { events: [stageEvent("stage.started", stage, "active"), progress] };
  });
}

function executionId(stageId: string, agentIndex: number): string {
  return uuidFrom(`execution:${agentIndex}`, stageId);
}

/** Creates the row of the execution that combines the results of a stage's agents, and starts it. */
export async function startSynthesis(
  session: OwnedSession,
  { place, agent }: StepOf<"start-synthesis">,
): Promise<void> {
  const { session_id, stage_id } = place.stage;
  const execution = {
    execution_id: executionId(stage_id, place.agents + 1),
    stage_id,
    session_id,
    agent_name: agent.name,
    agent_index: place.agents + 1,
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
    const progress = await progressEvent(manager, place, "synthesizing");
    return { events: [executionEvent(execution, "active"), progress] };
  });
}

/** Writes how a stage ended. */
export async function completeStage(
  session: OwnedSession,
  { place, end, isLast }: StepOf<"complete-stage">,
): Promise<void> {
  const { stage } = place;
  await commitStep(session, async (manager) => {
    await manager.update(
      StageEntity,
      { stage_id: stage.stage_id },
      {
        status: end.status,
        completed_at: () => "now()",
        duration_ms: () => "(extract(epoch FROM now() - started_at) * 1000)::int",
        error_message: end.errorMessage,
        error_code: end.errorCode,
      },
    );
    const summarizing = isLast && end.status === "completed";
    const progress = summarizing ? [await progressEvent(manager, place, "summarizing")] : [];
    return { events: [stageEvent("stage.completed", stage, end.status), ...progress] };
  });
}

function stageEvent(
  type: "stage.started" | "stage.completed",
  stage: Pick<StageState, "session_id" | "stage_id" | "stage_name" | "stage_index">,
  status: RunStatus,
): SessionEventPayload {
  const { session_id, stage_id, stage_name, stage_index } = stage;
  return { type, session_id, stage_id, stage_name, stage_index, status, timestamp: new Date().toISOString() };
}
