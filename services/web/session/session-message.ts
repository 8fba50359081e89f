import type { ExecutionProgress, ToolProgress } from "#shared/contracts/live-progress.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";

/** A stored event of a session, as every protocol delivers it. */
export type NumberedEvent = SessionEventPayload & { readonly seq: number };

/** What `/ws` says about one session: stored events, and what is only live. */
export type SessionMessage = NumberedEvent | StreamChunk | ToolProgress | ExecutionProgress;
/** Those of one type. */
export type MessageOf<T extends SessionMessage["type"]> = Extract<SessionMessage, { type: T }>;

type MemberTypes = Readonly<Record<string, "string" | "number">>;

const STORED = { seq: "number", timestamp: "string" } as const;

/** The members without which a message cannot be shown. The page does not carry a schema validator for the rest. */
const NEEDED: Readonly<Record<SessionMessage["type"], MemberTypes>> = {
  "session.status": { ...STORED, status: "string" },
  "session.completed": { ...STORED, status: "string" },
  "session.taken_over": { ...STORED, epoch: "number", silent_ms: "number" },
  "session.parked": { ...STORED, by: "string" },
  "session.resumed": { ...STORED, parked_ms: "number" },
  "session.progress": { ...STORED, current_stage_index: "number", status_text: "string" },
  "stage.started": { ...STORED, stage_id: "string", stage_name: "string", stage_index: "number" },
  "stage.completed": { ...STORED, stage_id: "string", status: "string" },
  "execution.status": {
    ...STORED,
    stage_id: "string",
    execution_id: "string",
    agent_name: "string",
    agent_index: "number",
    status: "string",
  },
  "timeline_event.created": {
    ...STORED,
    event_id: "string",
    stage_id: "string",
    execution_id: "string",
    event_type: "string",
    status: "string",
    content: "string",
    sequence_number: "number",
  },
  "timeline_event.completed": { ...STORED, event_id: "string", status: "string", content: "string" },
  "approval.requested": {
    ...STORED,
    stage_id: "string",
    execution_id: "string",
    approval_id: "string",
    tool: "string",
    arguments: "string",
    expires_at: "string",
  },
  "approval.decided": { ...STORED, approval_id: "string", state: "string" },
  "steer.received": { ...STORED, message_id: "string", mode: "string" },
  "alert.linked": { ...STORED, count: "number" },
  "session.score_updated": { ...STORED, score_id: "string", scoring_status: "string" },
  "budget.soft_limit": { ...STORED, execution_id: "string", dimension: "string" },
  "conclusion.checked": { ...STORED, status: "string", claims_verified: "number", claims_total: "number" },
  "budget.exceeded": { ...STORED, execution_id: "string", dimension: "string" },
  "chat.created": { ...STORED, chat_id: "string" },
  "review.status": { ...STORED, review_status: "string" },
  "interaction.created": { ...STORED, interaction_type: "string" },
  "stream.chunk": { event_id: "string", attempt: "number", offset: "number", delta: "string" },
  "tool.progress": { event_id: "string", progress: "number" },
  "execution.progress": { execution_id: "string", phase: "string", message: "string" },
};

const BY_TYPE = new Map<string, MemberTypes>(Object.entries(NEEDED));

/**
 * True for a message of a known type with the members that showing it needs. One of a newer version that is not is left out
 * of the view, instead of ending it; other members and values may be new, too.
 */
export function isSessionMessage(message: unknown): message is SessionMessage {
  if (typeof message !== "object" || message === null) return false;
  const members = new Map<string, unknown>(Object.entries(message));
  const needed = BY_TYPE.get(String(members.get("type")));
  if (needed === undefined) return false;
  return Object.entries(needed).every(([name, type]) => typeof members.get(name) === type);
}

/** True for such a message that is stored, and has a number. */
export function isStoredMessage(message: unknown): message is NumberedEvent {
  return isSessionMessage(message) && "seq" in message;
}
