import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const Run = { status: Type.String(), error_code: TextOrNull };

const Outcome = Type.Object({
  session: Type.Object({ ...Run, final_analysis: TextOrNull, executive_summary: TextOrNull }),
  stages: Type.Array(Type.Object({ stage_id: Type.String(), ...Run })),
  executions: Type.Array(Type.Object({ execution_id: Type.String(), ...Run, final_analysis: TextOrNull })),
  llm_calls: Type.Array(Type.String()),
  tool_calls: Type.Array(
    Type.Object({
      interaction_id: Type.String(),
      execution_id: Type.String(),
      server: Type.String(),
      tool: TextOrNull,
      arguments: Type.Unknown(),
      result: Type.Unknown(),
    }),
  ),
  follow_ups: Type.Array(Type.Object({ follow_up_id: Type.String(), ...Run })),
});
/** How a replayed session has ended, and which calls it has made. */
export type Outcome = Static<typeof Outcome>;

const parseRow = compileParser("outcome of a replay", Type.Object({ outcome: Outcome }));

const list = (columns: string, from: string) =>
  `(SELECT coalesce(json_agg(x), '[]') FROM (SELECT ${columns} FROM ${from} AND session_id = $1) x)`;

const READ = `
SELECT json_build_object(
  'session', json_build_object('status', s.status, 'error_code', s.error_code, 'final_analysis', s.final_analysis,
                               'executive_summary', s.executive_summary),
  'stages', ${list("stage_id, status, error_code", "stages WHERE true")},
  'executions', ${list(
    `execution_id, status, error_code,
     (SELECT t.content FROM timeline_events t WHERE t.execution_id = e.execution_id AND t.event_type = 'final_analysis'
        AND t.status = 'completed' ORDER BY t.sequence_number DESC LIMIT 1) AS final_analysis`,
    "agent_executions e WHERE true",
  )},
  'llm_calls', (SELECT coalesce(json_agg(interaction_id), '[]') FROM llm_interactions WHERE session_id = $1),
  'tool_calls', ${list(
    "interaction_id, execution_id, server_name AS server, tool_name AS tool, tool_arguments AS arguments, tool_result AS result",
    "mcp_interactions WHERE interaction_type = 'tool_call'",
  )},
  'follow_ups', ${list("follow_up_id, status, error_code", "follow_ups WHERE true")}
) AS outcome
FROM alert_sessions s WHERE s.session_id = $1`;

/** Reads how a replayed session has ended. Throws database errors. */
export async function readOutcome(db: Queryable, sessionId: string): Promise<Outcome> {
  const [row] = await selectRows(db, parseRow, READ, [sessionId]);
  if (row === undefined) throw new TerminalError("not_found", `session ${sessionId} was not imported`);
  return row.outcome;
}
