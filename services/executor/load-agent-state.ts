import { Type } from "typebox";
import { In } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import { AgentExecutionEntity, INITIAL_ITERATION_STATE } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentState } from "./controllers/controller.ts";
import type { AgentRun } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import type { ExecutionState, StageState } from "./persist/load-session.ts";
import type { ParallelResults } from "./prompts/format-context.ts";
import type { AlertInput } from "./prompts/prompt-input.ts";

const parseTools = compileParser("stored tool listing", Type.Array(ToolDescription));

/** Reads the session's alert. */
export async function loadAlert({
  db,
  sessionId,
}: Pick<OwnedSession, "db" | "sessionId">): Promise<AlertInput> {
  const { alert_data, alert_type, runbook_url } = await db.getRepository(AlertSessionEntity).findOneOrFail({
    select: { session_id: true, alert_data: true, alert_type: true, runbook_url: true },
    where: { session_id: sessionId },
  });
  return { data: alert_data, alertType: alert_type, runbookUrl: runbook_url };
}

/** Reads the stored state that decides an execution's next step, except the results that a synthesis combines. */
export async function loadAgentState(
  { db }: Pick<OwnedSession, "db">,
  { execution_id }: ExecutionState,
  given: Pick<AgentState, "agent" | "chain" | "previous" | "alert">,
): Promise<Omit<AgentState, "parallel">> {
  // In sequence, so that each of the agents that run concurrently holds one pooled connection at a time.
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
  // In the agent's order of servers, so that a resumed prompt lists the tools in the same order.
  const servers = given.agent.mcp_servers.map((id) => listings.find(({ server_name }) => server_name === id));
  const isListed = servers.every((listing) => listing !== undefined);
  const tools = servers.flatMap((listing) => parseTools(listing?.available_tools ?? []));
  // The version before may have stored the state without properties that were added since.
  const iteration = { ...INITIAL_ITERATION_STATE, ...row.iteration_state };
  return { ...given, tools: isListed ? tools : null, messages, iteration };
}

const MIB = 1024 * 1024;

const parseSize = compileParser("size of the results", Type.Object({ bytes: Type.Number() }));

const SIZE = `
SELECT coalesce(sum(octet_length(content)), 0)::float8 AS bytes FROM timeline_events
WHERE execution_id = ANY($1::uuid[]) AND status = 'completed'`;

/**
 * Reads the results of a stage's agents for its synthesis. Throws TerminalError `message_too_large` if they cannot fit
 * one message to the gateway: the results of a hundred agents may exceed this process's memory.
 */
export async function loadParallelResults(
  { db, maxMessageBytes }: Pick<OwnedSession, "db" | "maxMessageBytes">,
  { stage_name }: Pick<StageState, "stage_name">,
  agents: readonly AgentRun[],
): Promise<ParallelResults> {
  const ids = agents.map(({ execution }) => execution.execution_id);
  const [size] = await selectRows(db, parseSize, SIZE, [ids]);
  const bytes = size?.bytes ?? 0;
  if (bytes > maxMessageBytes) throw tooLarge(agents.length, bytes, maxMessageBytes);
  const events = await db.getRepository(TimelineEventEntity).find({
    where: { execution_id: In(ids), status: "completed" },
    order: { sequence_number: "ASC" },
  });
  return {
    stageName: stage_name,
    agents: agents.map(({ execution, agent }) => ({
      index: execution.agent_index,
      name: execution.agent_name,
      provider: agent.llm_provider.name,
      strategy: agent.iteration_strategy,
      status: execution.status,
      errorMessage: execution.error_message,
      events: events.filter(({ execution_id }) => execution_id === execution.execution_id),
    })),
  };
}

function tooLarge(agents: number, bytes: number, maxBytes: number): TerminalError {
  const [found, allowed] = [bytes / MIB, maxBytes / MIB].map((size) => `${size.toFixed(1)} MiB`);
  return new TerminalError(
    "message_too_large",
    `the results of ${agents} agents hold ${found}, but one message to the LLM gateway may hold ${allowed}: set a lower max_tool_result_tokens or let fewer agents run`,
  );
}
