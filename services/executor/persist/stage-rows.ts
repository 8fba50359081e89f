import { uuidFrom } from "#shared/uuid-from.ts";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { isActionAgent, type ResolvedAgent, type ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { isChainStage, type RunStatus, type StageType } from "#shared/contracts/statuses.ts";
import type { StageState } from "../state/session-state.ts";
import { executionEvent } from "./execution-rows.ts";
import type { StageContext } from "./progress-event.ts";
import type { RunOutcome, StepRecord } from "./step-record.ts";
import type { NewExecution } from "../state/step-rows.ts";

/** A stage of the chain that has no row yet. */
export interface PlannedStage {
  /** Its position in the chain, from 1. */
  readonly index: number;
  readonly plan: ResolvedStage;
  /** Number of the chain's stages. */
  readonly total: number;
}

/** The step that inserts a stage, active, with its executions, pending, and makes it the session's current stage. */
export function startStage(sessionId: string, { index, plan, total }: PlannedStage): StepRecord {
  // Ids derive from the position, so that a repeated step names the same rows.
  const stage_id = uuidFrom(`stage:${index}`, sessionId);
  const kind = { stage_type: stageType(plan), expected_agent_count: plan.agents.length };
  const shown = { stage_name: plan.name, stage_index: index, stage_type: kind.stage_type };
  const stage = { stage_id, session_id: sessionId, ...shown };
  return {
    rows: {
      stages: [
        {
          stage_id,
          stage_name: plan.name,
          stage_index: index,
          parallel_type: plan.parallel_type,
          success_policy: plan.parallel_type === null ? null : plan.success_policy,
          ...kind,
        },
      ],
      executions: plan.agents
        .slice(0, plan.replicas?.min)
        .map((agent, position) => newExecution(stage_id, position + 1, agent)),
      session: { current_stage: { stage_id, stage_index: index } },
    },
    events: [
      {
        ...stageEvent("stage.started", stage, "active"),
        ...kind,
        ...(plan.replicas === undefined ? {} : { min_agent_count: plan.replicas.min }),
      },
      { progress: { stage: { row: stage, agents: plan.agents.length, total }, activity: "starting" } },
    ],
  };
}

/** A stage of which every agent may change things is one of actions. */
function stageType({ agents }: ResolvedStage): StageType {
  return agents.every(isActionAgent) ? "action" : "investigation";
}

/** The row of an execution that has not started. */
export function newExecution(stage_id: string, agent_index: number, agent: ResolvedAgent): NewExecution {
  return {
    execution_id: uuidFrom(`execution:${agent_index}`, stage_id),
    stage_id,
    agent_name: agent.replica === undefined ? agent.name : `${agent.name}-${agent.replica}`,
    agent_index,
    iteration_strategy: agent.iteration_strategy,
    iteration_state: INITIAL_ITERATION_STATE,
    llm_provider: agent.llm_provider.name,
    llm_backend: agent.llm_provider.backend,
    model_name: agent.llm_provider.model,
  };
}

/** The step that inserts one more replica of a stage's agent, pending. */
export function startReplica({ row }: StageContext, { index, agent }: NextReplica): StepRecord {
  return { rows: { executions: [newExecution(row.stage_id, index, agent)] }, events: [] };
}

/** A replica that has no row yet. */
export interface NextReplica {
  /** Its position among the stage's agents, from 1. */
  readonly index: number;
  readonly agent: ResolvedAgent;
}

/** The step that inserts the active execution that synthesises the results of a stage's agents. */
export function startSynthesis(context: StageContext, agent: ResolvedAgent): StepRecord {
  const { session_id, stage_id } = context.row;
  const execution = { ...newExecution(stage_id, context.agents + 1, agent), is_synthesis: true } as const;
  return {
    rows: {
      executions: [execution],
      executionChanges: [{ execution_id: execution.execution_id, starts: true }],
    },
    events: [
      executionEvent({ ...execution, session_id }, "active"),
      { progress: { stage: context, activity: "synthesizing" } },
    ],
  };
}

/** The step that records how a stage ended; `isSummaryNext` adds a progress event for the executive summary. */
export function completeStage(
  context: StageContext,
  {
    outcome,
    actions_claimed,
    isSummaryNext,
  }: {
    readonly outcome: RunOutcome;
    readonly actions_claimed: boolean | null;
    readonly isSummaryNext: boolean;
  },
): StepRecord {
  const { row } = context;
  const { status, errorMessage: error_message, errorCode: error_code } = outcome;
  const { stage_id } = row;
  return {
    rows: {
      stageEnds: [
        {
          stage_id,
          status,
          error_message,
          error_code,
          actions_claimed,
          is_summary_next: isSummaryNext,
        },
      ],
    },
    events: [
      stageEvent("stage.completed", row, status),
      ...(isSummaryNext ? [{ progress: { stage: context, activity: "summarizing" } } as const] : []),
    ],
  };
}

/** The event of a stage whose status has changed to `status`; of a stage that is not the chain's it has the type. */
export function stageEvent(
  type: "stage.started" | "stage.completed",
  stage: Pick<StageState, "session_id" | "stage_id" | "stage_name" | "stage_index" | "stage_type">,
  status: RunStatus,
): Extract<UnstampedPayload, { type: "stage.started" | "stage.completed" }> {
  const { session_id, stage_id, stage_name, stage_index, stage_type } = stage;
  return {
    type,
    session_id,
    stage_id,
    stage_name,
    stage_index,
    status,
    ...(isChainStage(stage) ? {} : { stage_type }),
  };
}
