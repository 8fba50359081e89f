import { Type } from "#shared/generated/typebox/typebox.mjs";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MEMORY_TOOL_NAMES } from "#shared/contracts/memory.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** Of the built-in tools, only those that look at earlier sessions are answered from a record; the others run as always. */
const IS_RECORDED = `(i.server_name <> '${BUILT_IN_SERVER}' OR i.tool_name IN (${MEMORY_TOOL_NAMES.map((name) => `'${name}'`).join(", ")}))`;

/** Before calls had their outcome stored, a result that is this program's own text is recognised by its server. */
const OUTCOME = `
jsonb_strip_nulls(CASE coalesce(i.outcome ->> 'kind', CASE WHEN i.error_message IS NULL THEN 'result' ELSE 'exception' END)
  WHEN 'result' THEN jsonb_build_object('kind', 'result', 'content', coalesce(i.tool_result ->> 'content', ''),
    'is_error', coalesce((i.tool_result ->> 'is_error')::boolean, false),
    'own_text', coalesce(i.outcome -> 'own_text', CASE WHEN i.outcome IS NULL AND i.server_name = '${BUILT_IN_SERVER}'
      AND (i.tool_result ->> 'is_error')::boolean THEN to_jsonb(true) END))
  WHEN 'exception' THEN jsonb_build_object('kind', 'exception', 'message', coalesce(i.error_message, ''),
    'is_timeout', i.outcome -> 'is_timeout', 'may_have_run', i.outcome -> 'may_have_run')
  ELSE jsonb_build_object('kind', i.outcome ->> 'kind', 'message', coalesce(i.error_message, ''), 'reason', i.outcome -> 'reason') END)`;

/** A window of a large result names the id under which the whole text is kept. */
const KEPT = `
(SELECT jsonb_build_object('handle', t.call_id, 'bytes', t.bytes, 'lines', t.lines, 'content', t.content)
 FROM tool_results t WHERE t.session_id = i.session_id AND strpos(i.tool_result ->> 'content', t.call_id) > 0
 ORDER BY t.created_at DESC LIMIT 1)`;

/** The execution of a row in the target. */
function mapped(row: string): string {
  return `coalesce(($3::jsonb ->> ${row}.execution_id::text)::uuid, ${row}.execution_id)`;
}

/** What the source was itself answered from, and has not called yet, comes behind its own calls. */
const RECORD = `
WITH own AS (
  SELECT 0 AS part, row_number() OVER (ORDER BY i.created_at, i.execution_id, (i.outcome ->> 'index')::int, i.interaction_id) AS place,
    ${mapped("i")} AS execution_id, (i.outcome ->> 'iteration')::int AS iteration, (i.outcome ->> 'index')::int AS call_index, i.server_name,
    coalesce(i.tool_name, '') AS tool_name, coalesce(i.tool_arguments, '{}') AS arguments, ${OUTCOME} AS outcome, ${KEPT} AS kept
  FROM mcp_interactions i
  WHERE i.session_id = $1 AND i.interaction_type = 'tool_call' AND i.interaction_id IS DISTINCT FROM $4::uuid AND ${IS_RECORDED}),
unused AS (
  SELECT 1 AS part, r.ordinal AS place, ${mapped("r")} AS execution_id, r.iteration, r.call_index, r.server_name, r.tool_name,
    r.arguments, r.outcome, r.kept
  FROM recorded_tool_calls r WHERE r.session_id = $1 AND r.used_by IS NULL AND $1::uuid <> $2::uuid),
calls AS (
  INSERT INTO recorded_tool_calls (session_id, ordinal, execution_id, iteration, call_index, server_name, tool_name, arguments, outcome, kept)
  SELECT $2::uuid, row_number() OVER (ORDER BY part, place), execution_id, iteration, call_index, server_name, tool_name, arguments, outcome, kept
  FROM (SELECT * FROM own UNION ALL SELECT * FROM unused) known
  RETURNING 1),
listed AS (
  SELECT 0 AS part, ${mapped("i")} AS execution_id, i.server_name,
    row_number() OVER (ORDER BY i.created_at, i.interaction_id) AS place,
    coalesce(i.available_tools, '[]') AS available_tools, i.tool_result, i.error_message
  FROM mcp_interactions i
  WHERE i.session_id = $1 AND i.interaction_type = 'tool_list' AND i.server_name <> '${BUILT_IN_SERVER}'
  UNION ALL
  SELECT 1, ${mapped("r")}, r.server_name, r.ordinal, r.available_tools, r.tool_result, r.error_message
  FROM recorded_tool_lists r WHERE r.session_id = $1 AND $1::uuid <> $2::uuid),
lists AS (
  INSERT INTO recorded_tool_lists (session_id, execution_id, server_name, ordinal, available_tools, tool_result, error_message)
  SELECT $2::uuid, execution_id, server_name, row_number() OVER (ORDER BY part DESC, place), available_tools, tool_result, error_message
  FROM (SELECT DISTINCT ON (execution_id, server_name) * FROM listed ORDER BY execution_id, server_name, part) known
  RETURNING 1)
SELECT (SELECT count(*)::int FROM calls) AS calls, (SELECT count(*)::int FROM lists) AS lists`;

const parseCounts = compileParser(
  "recorded tools",
  Type.Object({ calls: Type.Integer(), lists: Type.Integer() }),
);

/** From which session to which, and the ids of the source's executions in the target; one that is missing keeps its id. */
interface Recording {
  readonly source: string;
  readonly target: string;
  readonly executions: Readonly<Record<string, string>>;
  /** The record of a call that is left out. */
  readonly without?: string;
}

/**
 * Records the tool calls and listings of a session for another one, which exists and has none recorded, or for itself. Resolves with how
 * many. Throws database errors.
 */
export async function recordTools(
  db: Queryable,
  { source, target, executions, without }: Recording,
): Promise<{ readonly calls: number; readonly lists: number }> {
  const [counts] = await selectRows(db, parseCounts, RECORD, [
    source,
    target,
    JSON.stringify(executions),
    without ?? null,
  ]);
  return counts ?? { calls: 0, lists: 0 };
}
