import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const StepEnd = Type.Object({
  at_seq: Type.Integer(),
  kind: literals(["llm_call", "tool_call", "listing", "conversation"]),
  name: Type.String(),
  execution_id: Type.String(),
  agent_name: Type.String(),
});
/** The end of a step of the investigation; several rows may have been stored with the same one. */
type StepEnd = Static<typeof StepEnd>;
const parseStep = compileParser("step of a session", StepEnd);

/** The numbers of rows are those of the newest event after the commit that stored them. Steps from the end of the session on are left out. */
const READ = `
WITH ended AS (
  SELECT coalesce(min(seq), 2147483647) AS seq FROM events
  WHERE session_id = $1 AND payload ->> 'type' IN ('session.status', 'session.completed')
    AND payload ->> 'status' IN (${TERMINAL_STATUSES.map((status) => `'${status}'`).join(", ")})),
steps AS (
  SELECT DISTINCT ON (seq) * FROM (
    SELECT seq, 1 AS rank, CASE interaction_type::text WHEN 'tool_list' THEN 'listing' ELSE 'tool_call' END AS kind,
      concat_ws('.', server_name, tool_name) AS name, execution_id
    FROM mcp_interactions WHERE session_id = $1 AND seq IS NOT NULL
    UNION ALL SELECT seq, 0, 'llm_call', model_name, execution_id FROM llm_interactions WHERE session_id = $1 AND seq IS NOT NULL
    UNION ALL SELECT seq, 2, 'conversation', role::text, execution_id FROM messages WHERE session_id = $1 AND seq IS NOT NULL) x
  WHERE seq < (SELECT seq FROM ended)
  ORDER BY seq, rank)
SELECT steps.seq AS at_seq, steps.kind, steps.name, steps.execution_id, e.agent_name
FROM steps JOIN agent_executions e USING (execution_id) ORDER BY steps.seq`;

/** The ends of a session's steps before its own end, in order: from each of them it can be forked. */
export async function readSteps(db: Queryable, sessionId: string): Promise<readonly StepEnd[]> {
  return selectRows(db, parseStep, READ, [sessionId]);
}
