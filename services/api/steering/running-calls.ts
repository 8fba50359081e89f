import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

const parse = compileParser("running call", Type.Object({ event_id: Uuid, execution_id: Uuid }));

/** A call that was announced and has no result; one that waits for a person's decision is not announced. */
const RUNNING = `
SELECT event_id, execution_id FROM timeline_events
WHERE session_id = $1 AND execution_id = ANY($2::uuid[]) AND event_type = 'llm_tool_call' AND mcp_interaction_id IS NULL
ORDER BY execution_id, sequence_number`;

/**
 * The tool calls of these executions that are running, as their rows in the timeline, and whose they are. To be read under the lock of
 * the session's runtime row. Throws RequestError 409 if there is none.
 */
export async function runningCalls(
  transaction: Queryable,
  sessionId: string,
  executions: readonly string[],
): Promise<{ readonly calls: readonly string[]; readonly executions: readonly string[] }> {
  const rows = await selectRows(transaction, parse, RUNNING, [sessionId, executions]);
  if (rows.length === 0) {
    throw new RequestError(
      409,
      "no tool call is running that could be skipped; a call that waits for an approval can be denied",
    );
  }
  return {
    calls: rows.map(({ event_id }) => event_id),
    executions: [...new Set(rows.map(({ execution_id }) => execution_id))],
  };
}
