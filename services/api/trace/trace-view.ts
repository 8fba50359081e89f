import type { EntityManager } from "typeorm";
import { summaryAgent, summaryStageId, type ShownStage } from "#shared/contract-view/shown-stages.ts";
import { LlmInteractionEntity, McpInteractionEntity } from "#shared/database/entities.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { McpInteraction } from "#shared/database/tables/mcp-interactions.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import { readStagesOf } from "../views/read-stages.ts";
import { withoutNulls } from "../http/without-nulls.ts";

/** A recorded call of a session; what else its row has is shown, too. */
interface Interaction {
  readonly interaction_id: string;
  readonly stage_id: string;
  readonly execution_id: string;
  readonly interaction_type: string;
}

/**
 * Reads every LLM call, tool listing and tool call, failed ones included, oldest first, by stage and execution, those of sub-agents under
 * the execution that started them, those for the executive summary in its stage.
 */
export async function readTrace(manager: EntityManager, session_id: string) {
  const { shown } = await readStagesOf(manager, session_id);
  const where = { session_id };
  const order = { created_at: "ASC", interaction_id: "ASC" } as const;
  const llm = await manager.find(LlmInteractionEntity, { where, order });
  const tools = await manager.find(McpInteractionEntity, { where, order });
  const [summary, ofAgents] = [llm.filter(isOfSummary), llm.filter((call) => !isOfSummary(call))];
  return {
    session_id,
    stages: shown.map((stage) =>
      stage.row === null
        ? summaryTrace(stage, session_id, summary)
        : stageTrace(stage, { llm: ofAgents, tools }),
    ),
    session_interactions: [],
  };
}

function isOfSummary(call: Interaction): boolean {
  return call.interaction_type === "executive_summary";
}

function summaryTrace(
  { stage_id, stage_name, stage_type }: ShownStage<Stage, AgentExecution>,
  session_id: string,
  calls: readonly LlmInteraction[],
) {
  const { execution_id, agent_name } = summaryAgent(session_id);
  const llm_interactions = calls.map((call) => interactionView({ ...call, stage_id, execution_id }));
  const execution = { execution_id, agent_name, llm_interactions, mcp_interactions: [] };
  return { stage_id, stage_name, stage_type, executions: [execution] };
}

function stageTrace(
  stage: ShownStage<Stage, AgentExecution>,
  { llm, tools }: { readonly llm: readonly LlmInteraction[]; readonly tools: readonly McpInteraction[] },
) {
  const { stage_id, stage_name, stage_type, referenced_stage_id, executions, sub_agents } = stage;
  const callsOf = ({ execution_id, agent_name }: AgentExecution) => {
    const own = <C extends Interaction>(calls: readonly C[]) =>
      calls
        .filter((call) => call.execution_id === execution_id)
        .map((call) => interactionView({ ...call, stage_id }));
    return { execution_id, agent_name, llm_interactions: own(llm), mcp_interactions: own(tools) };
  };
  return {
    stage_id,
    stage_name,
    stage_type,
    ...(referenced_stage_id === null ? {} : { referenced_stage_id }),
    executions: executions.map((execution) => {
      const { execution_id: parent_execution_id } = execution;
      const children = sub_agents
        .filter((child) => child.parent_execution_id === parent_execution_id)
        .map((child) => ({ ...callsOf(child), parent_execution_id }));
      return { ...callsOf(execution), ...(children.length === 0 ? {} : { sub_agents: children }) };
    }),
  };
}

/** A call with the ids of the stage and the execution in which it is shown. */
export async function withShownStage<C extends Interaction & { readonly session_id: string }>(
  manager: EntityManager,
  call: C,
): Promise<C> {
  if (isOfSummary(call)) {
    const { execution_id } = summaryAgent(call.session_id);
    return { ...call, stage_id: summaryStageId(call.session_id), execution_id };
  }
  const { shown } = await readStagesOf(manager, call.session_id);
  const stage = shown.find(({ executions }) =>
    executions.some(({ execution_id }) => execution_id === call.execution_id),
  );
  return stage === undefined ? call : { ...call, stage_id: stage.stage_id };
}

/**
 * A call's row without null members, with its id under the contract's name, too. What only forks and cassettes need of a tool call's
 * outcome is not shown.
 */
export function interactionView<C extends Interaction>(call: C) {
  return { id: call.interaction_id, ...withoutNulls({ ...call, outcome: null }) };
}
