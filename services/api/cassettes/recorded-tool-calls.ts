import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { BoundTool, RecordedListing, RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { ToolDescription, markedDescription } from "#shared/contracts/tool-list.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { CassetteRows } from "./load-cassette-rows.ts";
import { parseStoredRequest } from "./stored-call.ts";

type Row = CassetteRows["toolCalls"][number];

const parsePlace = compileParser(
  "place of a tool call",
  Type.Object({ iteration: Type.Integer(), index: Type.Integer() }, { additionalProperties: true }),
);
const parseTools = compileParser("recorded listing", Type.Array(ToolDescription));

/** A recorded call of a tool as its cassette has it. */
export function recordedToolCall(row: Row): RecordedToolCall {
  const { iteration, index } = parsePlace(row.outcome);
  return {
    interaction_id: row.interaction_id,
    call_id: toolCallId(row.execution_id, { iteration, index }),
    seq: row.seq,
    iteration,
    index,
    server: row.server_name,
    tool: row.tool_name ?? "",
    is_built_in: row.server_name === BUILT_IN_SERVER,
    arguments: row.tool_arguments,
    result: row.tool_result,
    error_message: row.error_message,
    outcome: row.outcome,
    duration_ms: row.duration_ms,
  };
}

/** A recorded listing as its cassette has it. */
export function recordedListing(row: Row): RecordedListing {
  return {
    interaction_id: row.interaction_id,
    seq: row.seq,
    server: row.server_name,
    tools: parseTools(row.available_tools ?? []),
    result: row.tool_result,
    error_message: row.error_message,
    duration_ms: row.duration_ms,
  };
}

/** The tools that were bound to an execution's calls, in their order: those of its servers, then TARSy's own. */
export function boundTools(
  servers: readonly string[],
  listings: readonly Row[],
  calls: readonly LlmInteraction[],
): BoundTool[] {
  const ofServer = (server: string) => {
    const listing = listings.find(({ server_name }) => server_name === server);
    return parseTools(listing?.available_tools ?? []).map((tool) => ({
      name: tool.name,
      description: markedDescription(tool),
      parameters_schema: tool.parameters_schema,
    }));
  };
  const own = calls
    .map(({ llm_request }) => parseStoredRequest(llm_request).own_tools)
    .find((tools) => tools);
  return [...[...new Set(servers)].flatMap(ofServer), ...(own ?? ofServer(BUILT_IN_SERVER))];
}
