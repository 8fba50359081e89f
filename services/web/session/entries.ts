import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { MessageOf } from "./session-message.ts";
import type { TimelineEntry } from "./session-view.ts";

type Created = MessageOf<"timeline_event.created">;

/** The most of a failed call's result that its row shows. */
const MAX_ERROR_MESSAGE = 500;

/** What a new timeline event shows; a tool call is open until its result. */
export function createdEntry(message: Created): TimelineEntry {
  const { event_type, status, content, timestamp } = message;
  const metadata = { ...message.metadata };
  const isCall = event_type === "llm_tool_call";
  const isOpen = isCall || status === "streaming";
  return {
    id: message.event_id,
    type: event_type,
    executionId: message.execution_id,
    seq: message.seq,
    sequence: message.sequence_number,
    status: isCall ? "streaming" : status,
    content: isCall ? "" : content,
    metadata,
    startedAt: timestamp,
    endedAt: isOpen ? undefined : timestamp,
    durationMs: undefined,
    call: isCall ? { ...toolOf(metadata), arguments: content } : undefined,
    approval: undefined,
  };
}

/** The entry of a tool call that has got its result. */
export function answeredCall(call: TimelineEntry, { content, metadata, timestamp }: Created): TimelineEntry {
  const { status, ...result } = ended(content, metadata);
  const durationMs = durationOf(metadata);
  return {
    ...call,
    status,
    content,
    metadata: { ...call.metadata, ...result },
    endedAt: timestamp,
    durationMs,
  };
}

/** A result of which the call is not known. */
export function lostResult(message: Created): TimelineEntry {
  const entry = createdEntry(message);
  const { status, ...metadata } = ended(message.content, message.metadata);
  return {
    ...entry,
    type: "llm_tool_call",
    status,
    metadata,
    call: { ...toolOf(entry.metadata), arguments: "" },
    endedAt: message.timestamp,
    durationMs: durationOf(message.metadata),
  };
}

/** The entry of a call whose agent ended before its result. */
export function callWithoutResult(
  call: TimelineEntry,
  agentEnded: TerminalStatus,
  endedAt: string,
): TimelineEntry {
  return { ...call, status: agentEnded === "completed" ? "cancelled" : agentEnded, endedAt };
}

/** A question about a tool call, behind the entry with the number `after`. */
export function askedEntry(message: MessageOf<"approval.requested">, after: number): TimelineEntry {
  return {
    id: message.approval_id,
    type: "approval",
    executionId: message.execution_id,
    seq: message.seq,
    sequence: after,
    status: "streaming",
    content: "",
    metadata: {},
    startedAt: message.timestamp,
    endedAt: undefined,
    durationMs: undefined,
    call: undefined,
    approval: {
      id: message.approval_id,
      tool: message.tool,
      arguments: message.arguments,
      argumentsComplete: message.arguments_complete,
      expiresAt: message.expires_at,
      state: "awaiting_approval",
      decidedBy: null,
      reason: null,
    },
  };
}

function ended(
  content: string,
  metadata: object | null | undefined,
): { readonly status: "completed" | "failed"; readonly is_error: boolean; readonly error_message?: string } {
  const is_error = new Map<string, unknown>(Object.entries(metadata ?? {})).get("is_error") === true;
  if (!is_error) return { status: "completed", is_error };
  return { status: "failed", is_error, error_message: content.slice(0, safeCut(content, MAX_ERROR_MESSAGE)) };
}

function durationOf(metadata: object | null | undefined): number | undefined {
  const value = new Map<string, unknown>(Object.entries(metadata ?? {})).get("duration_ms");
  return typeof value === "number" ? value : undefined;
}

function toolOf(metadata: object): { readonly server: string; readonly tool: string } {
  const members = new Map<string, unknown>(Object.entries(metadata));
  return { server: textOf(members.get("server_name")), tool: textOf(members.get("tool_name")) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
