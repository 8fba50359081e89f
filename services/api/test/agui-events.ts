import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";

export const session_id = "00000000-0000-4000-8000-000000000001";
export const timestamp = "2026-01-31T12:00:00.000Z";
const stage_id = "stage-1";

type Payload = SessionEventPayload;

export const status = (
  of: "completed" | "failed" | "cancelled" | "timed_out",
  error_message?: string,
): Payload => ({
  type: "session.completed",
  session_id,
  status: of,
  ...(error_message === undefined ? {} : { error_message }),
  timestamp,
});
export const stage = (
  type: "stage.started" | "stage.completed",
  id = stage_id,
  stage_name = "look",
): Payload => ({
  type,
  session_id,
  stage_id: id,
  stage_name,
  stage_index: 1,
  status: type === "stage.started" ? "active" : "completed",
  timestamp,
});
export const agent = (
  execution_id: string,
  of: "active" | "completed" | "failed" = "active",
  { parent, at = stage_id }: { parent?: string; at?: string } = {},
): Payload => ({
  type: "execution.status",
  session_id,
  stage_id: at,
  execution_id,
  ...(parent === undefined ? {} : { parent_execution_id: parent }),
  agent_name: `agent ${execution_id}`,
  agent_index: 1,
  status: of,
  timestamp,
});
export const entry = (
  event_id: string,
  event_type: Extract<Payload, { type: "timeline_event.created" }>["event_type"],
  fields: Partial<Extract<Payload, { type: "timeline_event.created" }>> = {},
): Payload => ({
  type: "timeline_event.created",
  session_id,
  stage_id,
  execution_id: "a",
  event_id,
  event_type,
  status: "completed",
  content: "",
  sequence_number: 2,
  timestamp,
  ...fields,
});
export const ended = (
  event_id: string,
  event_type: Extract<Payload, { type: "timeline_event.completed" }>["event_type"],
  content: string,
): Payload => ({
  type: "timeline_event.completed",
  session_id,
  event_id,
  event_type,
  status: "completed",
  content,
  timestamp,
});
export const call = (event_id: string, execution_id = "a"): Payload =>
  entry(event_id, "llm_tool_call", {
    execution_id,
    content: '{"pod":"a"}',
    metadata: { server_name: "k8s", tool_name: "remove", arguments: { pod: "a" } },
  });
export const result = (event_id: string, call_event_id: string, content: string): Payload =>
  entry(event_id, "tool_result", { content, metadata: { is_error: false, call_event_id, duration_ms: 1 } });
export const asks = (approval_id: string, execution_id = "a", more: object = {}): Payload => ({
  type: "approval.requested",
  session_id,
  stage_id,
  execution_id,
  approval_id,
  agent_name: `agent ${execution_id}`,
  tool: "k8s.remove",
  arguments: '{"pod":"a"}',
  arguments_complete: true,
  expires_at: "2026-01-31T13:00:00.000Z",
  timestamp,
  ...more,
});
export const decided = (approval_id: string, execution_id = "a"): Payload => ({
  type: "approval.decided",
  session_id,
  execution_id,
  approval_id,
  tool: "k8s.remove",
  state: "approved",
  decided_by: "ana",
  reason: null,
  timestamp,
});
export const chunk = (event_id: string, attempt: number, offset: number, delta: string): StreamChunk => ({
  type: "stream.chunk",
  session_id,
  event_id,
  attempt,
  offset,
  delta,
  timestamp,
});
