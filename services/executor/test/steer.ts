import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SteeringMode } from "#shared/contracts/statuses.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

const parseInbox = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** Posts a message to the agents of a session as the api does, and tells the owner. Returns its id. */
export async function steer(
  executor: ExecutorFixture,
  id: string,
  mode: SteeringMode,
  content: string | null,
  { isFromAlert = false } = {},
): Promise<string> {
  const message = randomUUID();
  await executor.query(
    `WITH told AS (
       UPDATE session_runtime SET inbox_seq = inbox_seq + 1, not_before = NULL WHERE session_id = $1
       RETURNING session_id, inbox_seq),
     agents AS (
       SELECT e.*, s.stage_index FROM agent_executions e JOIN stages s USING (stage_id) WHERE e.session_id = $1),
     last AS (SELECT stage_index, agent_index FROM agents ORDER BY 1 DESC, 2 DESC LIMIT 1)
     INSERT INTO steering_messages (message_id, session_id, ordinal, mode, content, author, targets, after_stage, after_agent, is_from_alert, calls)
     SELECT $2, told.session_id, told.inbox_seq, $3, $4, 'jane',
            (SELECT array_agg(execution_id) FROM agents WHERE status IN ('pending', 'active')),
            coalesce((SELECT stage_index FROM last), 0), coalesce((SELECT agent_index FROM last), 0), $5,
            coalesce((SELECT array_agg(event_id) FROM timeline_events
                      WHERE session_id = $1 AND $3 = 'skip_tool' AND event_type = 'llm_tool_call' AND mcp_interaction_id IS NULL), '{}')
     FROM told`,
    [id, message, mode, content, isFromAlert],
  );
  const runtime = await executor.row("session_runtime", "inbox_seq", id);
  executor.deps.leases.find(id)?.noticeInbox(parseInbox(runtime).inbox_seq);
  return message;
}
