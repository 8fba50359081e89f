import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import type { ExecutionChange, StepRows } from "./step-rows.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** The columns of an execution's row that decide the session's next step. */
export const ExecutionState = Type.Object({
  ...rowMembers(AGENT_EXECUTIONS, "execution_id", "stage_id", "session_id"),
  /** Absent unless it is a sub-agent. */
  parent_execution_id: Type.Optional(Uuid),
  ...rowMembers(AGENT_EXECUTIONS, "agent_name", "agent_index", "status", "error_message", "error_code"),
  /** Whether an action agent says that it executed actions; null if it does not say, and for other agents. */
  actions_claimed: Type.Union([Type.Boolean(), Type.Null()]),
});
export type ExecutionState = Static<typeof ExecutionState>;

/** The columns of a sub-agent's row that decide its next step and that of its parent. */
export const SubAgentState = Type.Object({
  ...ExecutionState.properties,
  parent_execution_id: Uuid,
  task: Type.String(),
  is_delivered: Type.Boolean(),
  is_cancelled: Type.Boolean(),
  /** As in the iteration state; null before it starts. */
  deadline_at: TextOrNull,
});
export type SubAgentState = Static<typeof SubAgentState>;

/** The sub-agents of a session after a step with these rows, ordered by parent and agent_index. */
export function foldSubAgents(
  { sessionId, subAgents }: { readonly sessionId: string; readonly subAgents: readonly SubAgentState[] },
  rows: StepRows,
): readonly SubAgentState[] {
  const added = (rows.executions ?? []).flatMap((row): SubAgentState[] => {
    const { execution_id, stage_id, parent_execution_id, agent_name, agent_index, task = "" } = row;
    if (parent_execution_id === undefined) return [];
    const ids = { execution_id, stage_id, session_id: sessionId, parent_execution_id };
    const ended = { error_message: null, error_code: null, actions_claimed: null };
    const flags = { is_delivered: false, is_cancelled: false, deadline_at: null };
    return [{ ...ids, agent_name, agent_index, status: "pending", ...ended, task, ...flags }];
  });
  if (added.length === 0 && (subAgents.length === 0 || rows.executionChanges === undefined)) return subAgents;
  const all = [...subAgents, ...added].map((child) => {
    const changes = (rows.executionChanges ?? []).filter((row) => row.execution_id === child.execution_id);
    let folded = child;
    for (const change of changes) folded = foldSubAgent(folded, change);
    return folded;
  });
  const byParent = (one: SubAgentState, other: SubAgentState) =>
    one.parent_execution_id < other.parent_execution_id
      ? -1
      : one.parent_execution_id > other.parent_execution_id
        ? 1
        : one.agent_index - other.agent_index;
  return all.toSorted(byParent);
}

function foldSubAgent(child: SubAgentState, change: ExecutionChange): SubAgentState {
  const { iteration_state, delivered, cancels } = change;
  return {
    ...foldExecution(child, change),
    is_delivered: child.is_delivered || delivered === true,
    is_cancelled: child.is_cancelled || cancels === true,
    deadline_at: iteration_state === undefined ? child.deadline_at : (iteration_state.deadline_at ?? null),
  };
}

/** An execution after a change of its row. */
export function foldExecution<E extends ExecutionState>(execution: E, change?: ExecutionChange): E {
  if (change?.end !== undefined) {
    const actions_claimed = change.iteration_state?.actions_claimed ?? execution.actions_claimed;
    return { ...execution, ...change.end, actions_claimed };
  }
  return change?.starts === true ? { ...execution, status: "active" } : execution;
}
