import type { Cassette } from "#shared/cassette/cassette.ts";
import type { RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { MEMORY_TOOL_NAMES } from "#shared/contracts/memory.ts";
import type { RecordedKept } from "#shared/contracts/recorded-tools.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { recordedOutcomeOf } from "./recorded-outcome-of.ts";

const INSERT_CALLS = `
INSERT INTO recorded_tool_calls (session_id, ordinal, execution_id, iteration, call_index, server_name, tool_name, arguments, outcome, kept)
SELECT $1, ordinal, execution_id, iteration, call_index, server_name, tool_name, coalesce(arguments, '{}'), outcome, kept
FROM jsonb_to_recordset($2::jsonb) AS given(ordinal int, execution_id uuid, iteration int, call_index int, server_name text,
  tool_name text, arguments jsonb, outcome jsonb, kept jsonb)`;

const INSERT_LISTS = `
INSERT INTO recorded_tool_lists (session_id, execution_id, server_name, ordinal, available_tools, tool_result, error_message)
SELECT DISTINCT ON (execution_id, server_name) $1, execution_id, server_name, ordinal, available_tools, tool_result, error_message
FROM jsonb_to_recordset($2::jsonb) AS given(ordinal int, execution_id uuid, server_name text, available_tools jsonb,
  tool_result jsonb, error_message text)
ORDER BY execution_id, server_name, ordinal DESC`;

/** Gives a session with recorded tools what a cassette has of them. Throws database errors. */
export async function insertRecordedTools(
  db: Queryable,
  sessionId: string,
  { executions, kept_results: kept }: Cassette,
): Promise<void> {
  const calls = executions
    .flatMap(({ execution_id, tool_calls }) => tool_calls.map((call) => ({ execution_id, call })))
    .filter(({ call }) => isRecorded(call))
    .toSorted((a, b) => (a.call.seq ?? 0) - (b.call.seq ?? 0));
  const rows = calls.map(({ execution_id, call }, index) => {
    const outcome = recordedOutcomeOf(call);
    return {
      ordinal: index + 1,
      execution_id,
      iteration: call.iteration,
      call_index: call.index,
      server_name: call.server,
      tool_name: call.tool,
      arguments: call.arguments,
      outcome,
      kept: outcome.kind === "result" ? keptOf(outcome.content, kept) : null,
    };
  });
  const lists = executions.flatMap(({ execution_id, listings }) =>
    listings.map(({ server, tools, result, error_message }, index) => ({
      ordinal: index + 1,
      execution_id,
      server_name: server,
      available_tools: tools,
      tool_result: result,
      error_message,
    })),
  );
  await db.query(INSERT_CALLS, [sessionId, JSON.stringify(rows)]);
  await db.query(INSERT_LISTS, [sessionId, JSON.stringify(lists)]);
}

/** TARSy's own tools run as always, except for those that look at earlier sessions. */
function isRecorded({ is_built_in: isBuiltIn, tool }: RecordedToolCall): boolean {
  return !isBuiltIn || MEMORY_TOOL_NAMES.some((name) => name === tool);
}

/** The window of a large result names the id under which the whole text is kept. */
function keptOf(content: string, kept: Cassette["kept_results"]): RecordedKept | null {
  const found = kept.find(({ call_id }) => content.includes(call_id));
  if (found === undefined) return null;
  const { call_id: handle, bytes, lines, content: whole } = found;
  return { handle, bytes, lines, content: whole };
}
