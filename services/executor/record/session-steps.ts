import { v5 as uuidFrom } from "uuid";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import { AgentExecutionEntity, INITIAL_ITERATION_STATE } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import type { StageState } from "../load-session.ts";
import type { SessionStep } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "./commit-step.ts";
import { endSession } from "./end-session.ts";

type StepOf<K extends SessionStep["kind"]> = Extract<SessionStep, { kind: K }>;

/** Creates a stage's rows, the stage active and its executions pending, and makes it the session's current one. */
export async function startStage(
  session: OwnedSession,
  { index, plan }: StepOf<"start-stage">,
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
        execution_id: uuidFrom(`execution:${position + 1}`, stageId),
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
    return { events: [stageEvent("stage.started", stage, "active")] };
  });
  session.metrics.steps.inc({ kind: "start-stage" });
}

/** Writes how a stage ended. */
export async function completeStage(
  session: OwnedSession,
  { stage, end }: StepOf<"complete-stage">,
): Promise<void> {
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
    return { events: [stageEvent("stage.completed", stage, end.status)] };
  });
  session.metrics.steps.inc({ kind: "complete-stage" });
}

/** Writes how the session ended; refused when a cancel came first, answer in hand or not. */
export async function finishSession(session: OwnedSession, step: StepOf<"finish">): Promise<void> {
  const { sessionId } = session;
  await commitStep(
    session,
    async (manager) => ({ events: await endSession(manager, sessionId, step.end, step.finalAnalysis) }),
    "finish",
  );
  session.metrics.steps.inc({ kind: "finish" });
  session.log.info({ status: step.end.status }, "session finished");
}

function stageEvent(
  type: "stage.started" | "stage.completed",
  stage: Pick<StageState, "session_id" | "stage_id" | "stage_name" | "stage_index">,
  status: RunStatus,
): SessionEventPayload {
  const { session_id, stage_id, stage_name, stage_index } = stage;
  return { type, session_id, stage_id, stage_name, stage_index, status, timestamp: new Date().toISOString() };
}
