import type { RouterMiddleware } from "@koa/router";
import type { EntityManager } from "typeorm";
import type { ShownStage } from "#shared/contract-view/shown-stages.ts";
import type { AgentExecution } from "#shared/database/entities/agent-execution.ts";
import { LlmInteractionEntity, type LlmInteraction } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import type { Stage } from "#shared/database/entities/stage.ts";
import type { ApiDeps } from "../api-deps.ts";
import { sessionAt } from "../http/session-at.ts";
import { readStagesOf } from "./read-stages.ts";
import { withoutNulls } from "./without-nulls.ts";

/** A recorded call of a session; what else its row has is shown, too. */
interface Interaction {
  readonly interaction_id: string;
  readonly stage_id: string;
  readonly execution_id: string;
}

/**
 * `GET /api/v1/sessions/:id/trace`: every LLM call, tool listing and tool call, failed ones included, oldest first, by stage and
 * execution, those of sub-agents under the execution that started them. The executive summary is no agent's: its calls are the session's.
 * With `at_seq` those that there were then.
 */
export function getTrace({ orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    ctx.body = await orm.transaction("REPEATABLE READ", async (manager) => {
      const { session_id } = await sessionAt(manager, ctx);
      const { shown } = await readStagesOf(manager, session_id);
      const where = { session_id };
      const order = { created_at: "ASC", interaction_id: "ASC" } as const;
      const llm = await manager.find(LlmInteractionEntity, { where, order });
      const tools = await manager.find(McpInteractionEntity, { where, order });
      const calls = { llm: llm.filter((call) => !isOfSession(call)), tools };
      return {
        session_id,
        stages: shown.filter(({ row }) => row !== null).map((stage) => stageTrace(stage, calls)),
        session_interactions: llm.filter(isOfSession).map(interactionView),
      };
    });
  };
}

function isOfSession({ interaction_type }: LlmInteraction): boolean {
  return interaction_type === "executive_summary";
}

function stageTrace(
  stage: ShownStage<Stage, AgentExecution>,
  { llm, tools }: { readonly llm: readonly Interaction[]; readonly tools: readonly Interaction[] },
): object {
  const { stage_id, stage_name, stage_type, referenced_stage_id, executions, sub_agents } = stage;
  const callsOf = ({ execution_id, agent_name }: AgentExecution) => {
    const own = (calls: readonly Interaction[]) =>
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

/** A call with the id of the stage in which its execution is shown. */
export async function withShownStage<C extends Interaction & { readonly session_id: string }>(
  manager: EntityManager,
  call: C,
): Promise<C> {
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
export function interactionView(call: Interaction): object {
  return { id: call.interaction_id, ...withoutNulls({ ...call, outcome: null }) };
}
