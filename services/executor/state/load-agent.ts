import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { IterationState } from "#shared/contracts/iteration-state.ts";
import { literals } from "#shared/contracts/literals.ts";
import { RUN_STATUSES } from "#shared/contracts/statuses.ts";
import { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { MESSAGES } from "#shared/database/tables/messages.ts";
import { readListing, type AgentMemory } from "./agent-memory.ts";
import { Evidence, UNREAD_EVIDENCE } from "./evidence.ts";
import { SteeringMessage, UNREAD_STEERING } from "./steering.ts";

const parseAgent = compileParser(
  "stored agent",
  Type.Object({
    status: literals(RUN_STATUSES),
    iteration_state: IterationState,
    messages: Type.Array(
      Type.Object({
        ...rowMembers(MESSAGES, "message_id", "sequence_number", "role", "content", "tool_calls"),
        ...rowMembers(MESSAGES, "tool_call_id", "tool_name", "provider_state"),
      }),
    ),
    listings: Type.Array(
      Type.Object({
        server_name: Type.String(),
        available_tools: Type.Array(ToolDescription),
        tool_result: Type.Union([Type.Object({}), Type.Null()]),
      }),
    ),
    next_sequence: Type.Integer(),
    open: Type.Array(Type.Object({ event_id: Type.String(), sequence_number: Type.Integer() })),
    announced: Type.Array(Type.String()),
    steering: Type.Array(SteeringMessage),
    evidence: Type.Union([Evidence, Type.Null()]),
    inbox_seq: Type.Integer(),
  }),
);

/** One statement, so that all of it is of one moment. */
const AGENT = `
SELECT e.status, e.iteration_state,
  (SELECT coalesce(json_agg(m ORDER BY m.sequence_number), '[]') FROM (
     SELECT message_id, sequence_number, role, content, tool_calls, tool_call_id, tool_name,
            encode(provider_state, 'base64') AS provider_state
     FROM messages WHERE execution_id = $1) m) AS messages,
  (SELECT coalesce(json_agg(i), '[]') FROM (
     SELECT server_name, available_tools, tool_result FROM mcp_interactions
     WHERE execution_id = $1 AND interaction_type = 'tool_list' AND available_tools IS NOT NULL) i) AS listings,
  t.next_sequence, t.open, t.announced, r.inbox_seq, ${UNREAD_STEERING} AS steering,
  ${UNREAD_EVIDENCE} AS evidence
FROM agent_executions e JOIN session_runtime r USING (session_id), LATERAL (
  SELECT coalesce(max(sequence_number), 0) + 1 AS next_sequence,
         coalesce(json_agg(json_build_object('event_id', event_id, 'sequence_number', sequence_number))
           FILTER (WHERE status = 'streaming'), '[]') AS open,
         coalesce(json_agg(event_id) FILTER (WHERE event_type = 'llm_tool_call' AND mcp_interaction_id IS NULL), '[]') AS announced
  FROM timeline_events WHERE execution_id = $1) t
WHERE e.execution_id = $1`;

/** Reads an execution's conversation and what else its next step depends on. */
export async function loadAgent(db: Queryable, executionId: string): Promise<AgentMemory> {
  const [row] = await selectRows(db, parseAgent, AGENT, [executionId]);
  if (row === undefined) throw new TerminalError("not_found", `execution ${executionId} does not exist`);
  return {
    executionId,
    status: row.status,
    iteration: row.iteration_state,
    messages: row.messages.map(({ provider_state, ...message }) => ({
      ...message,
      provider_state: provider_state === null ? null : Buffer.from(provider_state, "base64"),
    })),
    listings: new Map(row.listings.map((listing) => [listing.server_name, readListing(listing)])),
    timeline: {
      nextSequence: row.next_sequence,
      open: new Map(row.open.map(({ event_id, sequence_number }) => [event_id, sequence_number])),
      announced: new Map(row.announced.map((eventId) => [eventId, { byThisOwner: false }])),
    },
    steering: row.steering,
    evidence: row.evidence,
    inboxSeq: row.inbox_seq,
  };
}
