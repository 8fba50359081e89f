import { isDeepStrictEqual } from "node:util";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import type { RequestedCall } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { toolCallKey, toolNames } from "./record-tool-call.ts";

/** By the database's clock, from when the result was stored. */
const MAX_AGE_S = 30;

/** The execution's two newest calls, if both are this call with the same result; no row otherwise. */
const FIND = `
WITH newest AS (
  SELECT server_name, tool_name, tool_arguments, tool_result, error_message, created_at
  FROM mcp_interactions WHERE execution_id = $1 AND interaction_type = 'tool_call'
  ORDER BY created_at DESC LIMIT 2)
SELECT min(tool_result ->> 'content') AS content,
       extract(epoch FROM clock_timestamp() - max(created_at))::float8 AS age_s
FROM newest
WHERE server_name = $2 AND tool_name = $3 AND tool_arguments = $4::jsonb AND tool_result ->> 'is_error' = 'false'
  AND error_message IS NULL AND created_at >= clock_timestamp() - make_interval(secs => ${MAX_AGE_S})
HAVING count(*) = 2 AND count(DISTINCT tool_result) = 1`;
const parseFound = compileParser(
  "repeated tool call",
  Type.Object({ content: Type.String(), age_s: Type.Number() }),
);

/**
 * The stored result for a call that was just made twice with the same result, with a remark that says so; null if the call
 * has to be made. Only for tools that read and that need no approval, and for a call that only this owner has
 * announced: one that a former owner announced may have run. Throws database errors.
 */
export async function findRepeatedResult(
  run: ExecutionRun,
  call: RequestedCall,
): Promise<ToolOutcome | null> {
  const { session, execution } = run;
  if (!mayBeRepeated(run, call) || !isThirdRequest(run, call)) return null;
  const { server_name, tool_name } = toolNames(call.name);
  const parameters = postgresSafeJson(parseActionInput(call.rawArguments));
  const [found] = await selectRows(session.db, parseFound, FIND, [
    execution.execution_id,
    server_name,
    tool_name,
    parameters,
  ]);
  if (found === undefined) return null;
  session.log.info({ name: call.name, age_s: found.age_s }, "tool call answered with its last result");
  const age = Math.max(0, Math.round(found.age_s));
  const remark = `[Not called again: the same call was just made twice, with the same result. This is the result of ${age} s ago.]`;
  return { kind: "result", content: `${remark}\n${found.content}`, isError: false };
}

function mayBeRepeated({ execution, state, steps }: ExecutionRun, call: RequestedCall): boolean {
  const { iteration, masked_arguments } = state.iteration;
  const tool = state.tools?.find(({ name }) => name === call.name);
  if (tool?.effect !== "read" || tool.needs_approval === true) return false;
  // Different secrets may look the same once they are masked.
  if (masked_arguments?.includes(call.index) === true) return false;
  const rowId = wholeRowId(execution, iteration, toolCallKey(call));
  if (steps.memory.timeline.announced.get(rowId)?.byThisOwner !== true) return false;
  return isExact(parseActionInput(call.rawArguments));
}

/**
 * Whether the newest answers ask for this call at least three times: the conversation is in memory, so that ordinary calls cost no
 * query.
 */
function isThirdRequest({ state }: ExecutionRun, { name, rawArguments }: RequestedCall): boolean {
  const wanted = parseActionInput(rawArguments);
  const answers = state.messages.filter(({ role }) => role === "assistant").slice(-3);
  const asked = answers.flatMap(({ content, tool_calls }) => {
    if (tool_calls !== null) return tool_calls.map((call) => [call.name, call.arguments] as const);
    const { action, actionInput } = parseReact(content);
    return [[action, actionInput] as const];
  });
  const same = asked.filter(
    ([tool, text]) => tool === name && isDeepStrictEqual(parseActionInput(text), wanted),
  );
  return same.length >= 3;
}

/** False if it has numbers that lost digits when they were parsed, so that different ones may look the same. */
function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}
