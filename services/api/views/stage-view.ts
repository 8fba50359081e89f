import type { ShownStage } from "#shared/contract-view/shown-stages.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import { executionView, summaryExecution, type ExecutionContext } from "./execution-view.ts";
import { withoutNulls } from "../http/without-nulls.ts";

/** What a session's stages are shown with. */
interface StageViewContext extends ExecutionContext {
  readonly session_id: string;
  readonly completed_at: Date | null;
}

/** A shown stage in the contract's shape, with our own members. */
export function stageView(
  stage: ShownStage<Stage, AgentExecution>,
  previous: ShownStage<Stage, AgentExecution> | undefined,
  context: StageViewContext,
) {
  const { stage_id, stage_name, stage_index, stage_type, status, referenced_stage_id } = stage;
  return {
    id: stage_id,
    stage_id,
    session_id: context.session_id,
    stage_name,
    stage_index,
    stage_type,
    status,
    ...(referenced_stage_id === null ? {} : { referenced_stage_id }),
    ...(stage.row === null
      ? summaryMembers(stage, previous?.row ?? null, context)
      : stageMembers(stage, stage.row, context)),
  };
}

function stageMembers(
  { stage_type, has_synthesis, executions, sub_agents }: ShownStage<Stage, AgentExecution>,
  row: Stage,
  context: StageViewContext,
) {
  const views = executions.map((execution) => {
    const children = sub_agents.filter(
      ({ parent_execution_id }) => parent_execution_id === execution.execution_id,
    );
    return executionView(execution, context, children);
  });
  const { error_message, error_code, completed_at } = row;
  const errors = withoutNulls({ error_message, error_code });
  if (stage_type === "synthesis") {
    const times = timesOf(executions[0]?.started_at ?? null, completed_at);
    return { ...single, ...times, ...errors, executions: views };
  }
  const { expected_agent_count, parallel_type, success_policy, actions_executed, actions_claimed } = row;
  // A stage with a synthesis is over for its agents when the last of them is; an error is the synthesis's.
  const end = has_synthesis ? latest(executions.map((execution) => execution.completed_at)) : completed_at;
  return {
    parallel_type,
    expected_agent_count,
    ...withoutNulls({ success_policy, actions_executed, actions_claimed }),
    ...(isMismatch(row) ? { actions_mismatch: true as const } : {}),
    ...timesOf(row.started_at, end),
    ...(has_synthesis ? {} : errors),
    executions: views,
  };
}

const single = { parallel_type: null, expected_agent_count: 1 } as const;

/** The executive summary has no row: it begins with the end of the last stage and ends with the session. */
function summaryMembers(
  { stage_id, status }: ShownStage<Stage, AgentExecution>,
  last: Stage | null,
  context: StageViewContext,
) {
  const times = timesOf(last?.completed_at ?? null, status === "active" ? null : context.completed_at);
  const place = { stage_id, session_id: context.session_id };
  return { ...single, ...times, executions: [summaryExecution(place, status, { ...context, times })] };
}

function timesOf(started_at: Date | null, completed_at: Date | null) {
  const duration_ms =
    started_at === null || completed_at === null
      ? null
      : Math.max(0, completed_at.getTime() - started_at.getTime());
  return { started_at, completed_at, duration_ms };
}

function latest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null);
}

/** True where the models' word about actions differs from the records of their calls. */
function isMismatch({ actions_executed, actions_claimed }: Stage): boolean {
  return actions_executed !== null && actions_claimed !== null && actions_executed !== actions_claimed;
}
