import type {
  ExecutionChange,
  FollowUpChange,
  ScoreChange,
  NewExecution,
  NewStage,
  SessionChange,
  StepRows,
  TimelineEnd,
} from "../state/step-rows.ts";
import { callCosts } from "./step-counts.ts";
import { NO_TOKENS, addTokens } from "../state/token-usage.ts";

/** The rows of each part of a step's statement; a row of a stage or an execution occurs once. */
export type TableRows = Readonly<Record<keyof StepRows, readonly object[]>>;

/**
 * Joins the rows of steps that are committed together. A statement can change a row only once, so changes of the same stage or
 * execution become one, and changes of one that is new become part of it. So does the end of a new row of the timeline; its link
 * to a call is of a later commit.
 */
export function tableRows(steps: readonly StepRows[]): TableRows {
  const stages = new Map<string, object>();
  const stageEnds = new Map<string, object>();
  const executions = new Map<string, NewExecution>();
  const changes = new Map<string, ExecutionChange>();
  const timeline = new Map<string, object>();
  const timelineEnds: TimelineEnd[] = [];
  for (const step of steps) {
    for (const stage of step.stages ?? []) stages.set(stage.stage_id, newStage(stage));
    for (const end of step.stageEnds ?? []) {
      const isNew = stages.get(end.stage_id);
      if (isNew === undefined) stageEnds.set(end.stage_id, end);
      else stages.set(end.stage_id, { ...isNew, ...end });
    }
    for (const row of step.timeline ?? []) timeline.set(row.event_id, row);
    for (const end of step.timelineEnds ?? []) {
      const isNew = timeline.get(end.event_id);
      if (isNew === undefined) timelineEnds.push(end);
      else timeline.set(end.event_id, { ...isNew, ...end });
    }
    for (const execution of step.executions ?? []) executions.set(execution.execution_id, execution);
    for (const change of step.executionChanges ?? []) {
      changes.set(change.execution_id, mergeChanges(changes.get(change.execution_id), change));
    }
  }
  // Every recorded call comes with a change of its execution.
  const calls = steps.flatMap(({ llmInteractions = [] }) => llmInteractions);
  const costs = (id: string) => callCosts(calls.filter(({ execution_id }) => execution_id === id));
  const ofNew = [...changes.values()].filter(({ execution_id }) => executions.has(execution_id));
  const ofOld = [...changes.values()].filter(({ execution_id }) => !executions.has(execution_id));
  return {
    stages: [...stages.values()],
    stageEnds: [...stageEnds.values()],
    executions: [...executions.values()].map((execution) => ({
      ...execution,
      ...costs(execution.execution_id),
      ...changeColumns(
        ofNew.find(({ execution_id }) => execution_id === execution.execution_id),
        {
          status: "pending",
          iteration_state: execution.iteration_state,
        },
      ),
    })),
    executionChanges: ofOld.map((change) => ({
      execution_id: change.execution_id,
      ...costs(change.execution_id),
      ...changeColumns(change, { status: null, iteration_state: null }),
    })),
    messages: steps.flatMap(({ messages = [] }) => messages),
    messageChanges: steps.flatMap(({ messageChanges = [] }) => messageChanges),
    llmInteractions: calls,
    mcpInteractions: steps.flatMap(({ mcpInteractions = [] }) => mcpInteractions),
    toolResults: steps.flatMap(({ toolResults = [] }) => toolResults),
    timeline: [...timeline.values()],
    timelineEnds,
    timelineLinks: steps.flatMap(({ timelineLinks = [] }) => timelineLinks),
    conclusions: steps.flatMap(({ conclusions = [] }) => conclusions),
    approvals: steps.flatMap(({ approvals = [] }) => approvals),
    approvalEnds: steps.flatMap(({ approvalEnds = [] }) => approvalEnds),
    evidenceDeliveries: steps.flatMap(({ evidenceDeliveries = [] }) => evidenceDeliveries),
    steeringDeliveries: steps.flatMap(({ steeringDeliveries = [] }) => steeringDeliveries),
    followUps: steps.flatMap(({ followUps = [] }) => followUps),
    scores: steps.flatMap(({ scores = [] }) => scores),
    scoreChanges: scoreRows(steps.flatMap(({ scoreChanges = [] }) => scoreChanges)),
    newMemories: steps.flatMap(({ newMemories = [] }) => newMemories),
    memoryChanges: steps.flatMap(({ memoryChanges = [] }) => memoryChanges),
    sessionMemories: steps.flatMap(({ sessionMemories = [] }) => sessionMemories),
    followUpChanges: followUpRows(steps.flatMap(({ followUpChanges = [] }) => followUpChanges)),
    budgetSettlements: steps.flatMap(({ budgetSettlements = [] }) => budgetSettlements),
    notifications: steps.flatMap(({ notifications = [] }) => notifications),
    session: sessionRow(steps.flatMap(({ session }) => session ?? [])),
  };
}

function newStage(stage: NewStage): object {
  return { ...stage, status: "active", error_message: null, error_code: null, actions_claimed: null };
}

function mergeChanges(before: ExecutionChange | undefined, change: ExecutionChange): ExecutionChange {
  if (before === undefined) return change;
  const tokens = addTokens(before.tokens ?? NO_TOKENS, change.tokens ?? NO_TOKENS);
  return { ...before, ...change, tokens };
}

function changeColumns(
  change: Omit<ExecutionChange, "execution_id"> = {},
  unchanged: { readonly status: string | null; readonly iteration_state: object | null },
): object {
  const { starts = false, end, provider, tokens = NO_TOKENS } = change;
  const { next, former } = provider ?? {};
  return {
    starts,
    delivered: change.delivered === true,
    cancels: change.cancels === true,
    ends: end !== undefined,
    status: end?.status ?? (starts ? "active" : unchanged.status),
    error_message: end?.error_message ?? null,
    error_code: end?.error_code ?? null,
    iteration_state: change.iteration_state ?? unchanged.iteration_state,
    ...next,
    original_llm_provider: former?.llm_provider ?? null,
    original_llm_backend: former?.llm_backend ?? null,
    original_model_name: former?.model_name ?? null,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    thinking_tokens: tokens.thinking,
    total_tokens: tokens.total,
  };
}

function followUpRows(changes: readonly FollowUpChange[]): object[] {
  const merged = new Map<string, FollowUpChange>();
  for (const change of changes) {
    merged.set(change.follow_up_id, { ...merged.get(change.follow_up_id), ...change });
  }
  return [...merged.values()].map(({ follow_up_id, starts, end }) => ({
    follow_up_id,
    timeout_ms: starts?.timeout_ms ?? null,
    ends: end !== undefined,
    status: end?.status ?? (starts === undefined ? null : "active"),
    error_message: end?.error_message ?? null,
    error_code: end?.error_code ?? null,
  }));
}

function scoreRows(changes: readonly ScoreChange[]): object[] {
  const merged = new Map<string, ScoreChange>();
  for (const change of changes) merged.set(change.score_id, { ...merged.get(change.score_id), ...change });
  return [...merged.values()].map(({ score_id, starts, memorizes, end }) => ({
    score_id,
    starts: starts !== undefined,
    ends: end !== undefined,
    prompt_hash: starts?.prompt_hash ?? null,
    error_message: null,
    ...(memorizes === undefined ? {} : { status: "memorizing", ...memorizes }),
    ...end,
  }));
}

function sessionRow(changes: readonly SessionChange[]): object[] {
  if (changes.length === 0) return [];
  const current_stage = changes.findLast((change) => change.current_stage !== undefined)?.current_stage;
  const end = changes.findLast((change) => change.end !== undefined)?.end;
  const degraded = changes.some((change) => change.degraded === true);
  return [
    {
      current_stage_index: current_stage?.stage_index ?? null,
      current_stage_id: current_stage?.stage_id ?? null,
      degraded,
      ...end,
    },
  ];
}
