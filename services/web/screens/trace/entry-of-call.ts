import type { ApiResponse } from "#shared/client/api-types.ts";

type TimelineItem = ApiResponse<"GET /api/v1/sessions/:id">["timeline"][number];

/**
 * The id of the first entry in a session's lanes that shows the call with this id; undefined for a call that no lane shows, such
 * as that of the executive summary. A response that is repeated as the final analysis has no line of its own.
 */
export function entryOfCall(timeline: readonly TimelineItem[], callId: string): string | undefined {
  const entries = timeline.filter(
    (entry) => entry.event_type !== "executive_summary" && shows(entry, callId),
  );
  const shown = entries.find(({ event_type }) => event_type !== "llm_response") ?? entries[0];
  return shown?.event_id;
}

/** A tool call's entry names the model call that asked for it too, and shows the tool's. */
function shows(
  { event_type, llm_interaction_id, mcp_interaction_id }: TimelineItem,
  callId: string,
): boolean {
  return (event_type === "llm_tool_call" ? mcp_interaction_id : llm_interaction_id) === callId;
}
