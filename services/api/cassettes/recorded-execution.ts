import type { RecordedExecution } from "#shared/cassette/cassette.ts";
import type { RecordedMessage } from "#shared/cassette/recorded-calls.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { CassetteRows } from "./load-cassette-rows.ts";
import { recordedLlmCall } from "./recorded-llm-calls.ts";
import { boundTools, recordedListing, recordedToolCall } from "./recorded-tool-calls.ts";
import type { SessionAgents } from "./session-agents.ts";

/** An execution as its cassette has it. */
export function recordedExecution(
  rows: CassetteRows,
  agents: SessionAgents,
  execution: AgentExecution,
): RecordedExecution {
  const { execution_id } = execution;
  const isOwn = (row: { readonly execution_id: string }) => row.execution_id === execution_id;
  const configured = agents.find(execution);
  const own = rows.messages.filter(isOwn);
  const messages = own.map(recordedMessage);
  const calls = rows.llmCalls.filter(isOwn);
  const interactions = rows.toolCalls.filter(isOwn);
  const listings = interactions.filter(({ interaction_type }) => interaction_type === "tool_list");
  const timeline = rows.timeline.filter(isOwn);
  const bound = boundTools(configured.agent?.mcp_servers ?? [], listings, calls);
  const context = {
    configured,
    rows: own,
    messages,
    kept: new Map(rows.kept.map(({ call_id, content }) => [call_id, content])),
    timeline,
  };
  return {
    execution_id,
    stage_id: execution.stage_id,
    agent_name: execution.agent_name,
    agent_index: execution.agent_index,
    parent_execution_id: execution.parent_execution_id,
    task: execution.task,
    is_synthesis: configured.isSynthesis,
    iteration_strategy: execution.iteration_strategy,
    status: execution.status,
    error_message: execution.error_message,
    error_code: execution.error_code,
    delivered: deliveryOf(rows, execution),
    is_cancel_requested: execution.cancel_requested_at !== null,
    final_analysis:
      timeline.findLast(({ event_type, status }) => event_type === "final_analysis" && status === "completed")
        ?.content ?? null,
    messages,
    listings: listings.map(recordedListing),
    bound_tools: calls.some(({ llm_request }) => hasTools(llm_request)) ? bound : [],
    llm_calls: calls.map((call) => recordedLlmCall(context, call)),
    tool_calls: interactions
      .filter(({ interaction_type }) => interaction_type === "tool_call")
      .map(recordedToolCall),
    memories: rows.inputs.memories.filter(isOwn).map(({ execution_id: _own, ...memory }) => memory),
  };
}

function hasTools(request: object): boolean {
  return "tools_count" in request && typeof request.tools_count === "number" && request.tools_count > 0;
}

function recordedMessage(message: Message): RecordedMessage {
  const { sequence_number, role, content, tool_calls, tool_call_id, tool_name, seq } = message;
  return {
    sequence_number,
    role,
    content,
    ...(tool_calls === null
      ? {}
      : { tool_calls: tool_calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })) }),
    ...(tool_call_id === null ? {} : { tool_call_id }),
    ...(tool_name === null ? {} : { tool_name }),
    seq,
  };
}

/** Where a sub-agent's result was delivered: the message names its execution (`deliver-results.ts` of the executor). */
function deliveryOf(
  { messages, llmCalls }: CassetteRows,
  { execution_id, parent_execution_id, delivered_at }: AgentExecution,
): RecordedExecution["delivered"] {
  if (parent_execution_id === null || delivered_at === null) return null;
  const conversation = messages.filter((message) => message.execution_id === parent_execution_id);
  const delivered = conversation.find(
    ({ role, content }) =>
      role === "user" && content.startsWith("[Sub-agent ") && content.includes(`(exec ${execution_id})`),
  );
  if (delivered === undefined) return { message: null, before_call: null };
  const isBehind = (id: string | null) =>
    conversation.some(
      ({ message_id, sequence_number }) => message_id === id && sequence_number >= delivered.sequence_number,
    );
  const call = llmCalls
    .filter((row) => row.execution_id === parent_execution_id)
    .findIndex(({ last_message_id }) => isBehind(last_message_id));
  return { message: delivered.sequence_number, before_call: call === -1 ? null : call };
}
