import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TIMELINE_EVENT_TYPES } from "#shared/contracts/statuses.ts";
import type { Entry } from "./original.ts";
import type { Ids, StoredStage } from "./session-rows.ts";

const parseCall = compileParser(
  "metadata of a tool call",
  Type.Object(
    {
      is_error: Type.Optional(Type.Boolean()),
      server_name: Type.Optional(Type.String()),
      tool_name: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
);

/**
 * The timeline: a call of a tool and its result are one entry there and two rows here. Entries of no agent, such as the executive summary, are
 * those of the last agent of their stage, or else of the session; where there is none they are left out, and so are those of the stage that
 * writes the summary, whose text the session has.
 */
export function entryRows(
  given: readonly Entry[],
  stages: readonly StoredStage[],
  { id, session_id }: Ids,
): readonly object[] {
  const placed = stages.flatMap(({ own, synthesis, type, executions }) =>
    executions.map(({ of }) => ({ own, synthesis, type, execution: of.execution_id })),
  );
  const inChain = placed.filter(({ type }) => type === "investigation" || type === "action");
  const placeOf = ({ execution_id, stage_id }: Entry) =>
    placed.find(({ execution }) => execution === execution_id) ??
    (stage_id === undefined
      ? inChain.at(-1)
      : placed.findLast(({ own, synthesis }) => own.id === stage_id || synthesis?.id === stage_id));
  const found = given.flatMap((entry) => {
    const place = placeOf(entry);
    return place === undefined ? [] : rowsOf(entry, id).map((row) => ({ ...row, place }));
  });
  const ordered = found.toSorted(
    (one, other) => Date.parse(one.created_at) - Date.parse(other.created_at) || one.order - other.order,
  );
  const counts = new Map<string, number>();
  return ordered.map(({ place, order: _order, ...row }) => {
    const sequence_number = (counts.get(place.execution) ?? 0) + 1;
    counts.set(place.execution, sequence_number);
    return {
      ...row,
      session_id,
      stage_id: id(place.own.id),
      execution_id: id(place.execution),
      sequence_number,
    };
  });
}

function rowsOf(entry: Entry, id: Ids["id"]) {
  const { sequence_number: order, created_at, updated_at, status, content = "", metadata = null } = entry;
  // Of any other type the original's page shows as an answer of the model, too.
  const event_type = TIMELINE_EVENT_TYPES.find((type) => type === entry.event_type) ?? "llm_response";
  const row = {
    event_id: id(entry.id),
    order,
    event_type,
    // What is still open when its session has ended is never continued.
    status: status === "streaming" ? ("cancelled" as const) : status,
    content,
    metadata,
    created_at,
    updated_at,
    mcp_interaction_id: null,
  };
  if (event_type !== "llm_tool_call") return [row];
  const mcp_interaction_id = id(`call:${entry.id}`);
  const call = {
    ...row,
    status: "completed" as const,
    content: "",
    updated_at: created_at,
    mcp_interaction_id,
  };
  if (status === "streaming") return [call];
  const { is_error = status !== "completed", server_name, tool_name } = parseCall(metadata ?? {});
  const result = {
    ...row,
    event_id: id(`result:${entry.id}`),
    event_type: "tool_result" as const,
    status: "completed" as const,
    metadata: {
      server_name,
      tool_name,
      is_error,
      call_event_id: row.event_id,
      duration_ms: Math.max(0, Math.round(Date.parse(updated_at) - Date.parse(created_at)) || 0),
    },
    created_at: updated_at,
    mcp_interaction_id,
  };
  return [call, result];
}
