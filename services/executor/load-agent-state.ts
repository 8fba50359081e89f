import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import type { ExecutionState } from "./persist/load-session.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { AgentState, AlertInput } from "./controllers/controller.ts";

const parseTools = compileParser("stored tool listing", Type.Array(ToolDescription));

/** Reads the session's alert. */
export async function loadAlert({ db, sessionId }: OwnedSession): Promise<AlertInput> {
  const { alert_data, alert_type, runbook_url } = await db.getRepository(AlertSessionEntity).findOneOrFail({
    select: { session_id: true, alert_data: true, alert_type: true, runbook_url: true },
    where: { session_id: sessionId },
  });
  return { data: alert_data, alertType: alert_type, runbookUrl: runbook_url };
}

/** Reads everything else that an execution's next step is decided from. */
export async function loadAgentState(
  { db }: OwnedSession,
  { execution_id }: ExecutionState,
  given: Pick<AgentState, "agent" | "chain" | "previous" | "alert">,
): Promise<Omit<AgentState, "parallel">> {
  // One after the other: each of the agents that run beside each other has one connection at a time in its hand.
  const row = await db.getRepository(AgentExecutionEntity).findOneOrFail({
    select: { execution_id: true, iteration_state: true },
    where: { execution_id },
  });
  const messages = await db
    .getRepository(MessageEntity)
    .find({ where: { execution_id }, order: { sequence_number: "ASC" } });
  const listings =
    given.agent.mcp_servers.length === 0
      ? []
      : await db.getRepository(McpInteractionEntity).findBy({ execution_id, interaction_type: "tool_list" });
  // By server in the agent's order, so that the tools stand in the prompt in the same order after a resume.
  const servers = given.agent.mcp_servers.map((id) => listings.find(({ server_name }) => server_name === id));
  const isListed = servers.every((listing) => listing !== undefined);
  const tools = servers.flatMap((listing) => parseTools(listing?.available_tools ?? []));
  return { ...given, tools: isListed ? tools : null, messages, iteration: row.iteration_state };
}
