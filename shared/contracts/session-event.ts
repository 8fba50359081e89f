import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { literals } from "#shared/contracts/literals.ts";
import {
  RUN_STATUSES,
  SESSION_STATUSES,
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
} from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/**
 * RFC 3339 in UTC with milliseconds, e.g. 2026-01-31T12:00:00.000Z: when the event was committed, by the clock of the
 * database. It never runs backwards within a session.
 */
const Timestamp = Type.String({ minLength: 1 });
const Metadata = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);

const SessionStatusChanged = Type.Object({
  type: Type.Union([Type.Literal("session.status"), Type.Literal("session.completed")]),
  session_id: Uuid,
  status: literals(SESSION_STATUSES),
  /** Present when the session ended otherwise than `completed`. */
  error_message: Type.Optional(Type.String()),
  timestamp: Timestamp,
});

const StageChanged = Type.Object({
  type: Type.Union([Type.Literal("stage.started"), Type.Literal("stage.completed")]),
  session_id: Uuid,
  stage_id: Uuid,
  stage_name: Type.String(),
  stage_index: Type.Integer({ minimum: 0 }),
  status: literals(RUN_STATUSES),
  timestamp: Timestamp,
});

/** Sent when the status of an agent's execution changes; its creation as `pending` has no event. */
const ExecutionStatusChanged = Type.Object({
  type: Type.Literal("execution.status"),
  session_id: Uuid,
  stage_id: Uuid,
  execution_id: Uuid,
  agent_name: Type.String(),
  /** From 1; a stage's synthesis agent has the highest index. */
  agent_index: Type.Integer({ minimum: 1 }),
  status: literals(RUN_STATUSES),
  timestamp: Timestamp,
});

/** Sent when a stage begins, and when an agent begins or ends. */
const SessionProgressed = Type.Object({
  type: Type.Literal("session.progress"),
  session_id: Uuid,
  /** From 0. */
  current_stage_index: Type.Integer({ minimum: 0 }),
  current_stage_name: Type.String(),
  total_stages: Type.Integer({ minimum: 1 }),
  /** Number of agents currently running. */
  active_executions: Type.Integer({ minimum: 0 }),
  /** For people: one short phrase. */
  status_text: Type.String(),
  timestamp: Timestamp,
});

/**
 * An event with status `streaming` has empty content and no metadata, and a completed event follows. Any other is
 * complete, and none follows.
 */
const TimelineEventCreated = Type.Object({
  type: Type.Literal("timeline_event.created"),
  event_id: Uuid,
  session_id: Uuid,
  stage_id: Uuid,
  execution_id: Uuid,
  event_type: literals(TIMELINE_EVENT_TYPES),
  status: literals(TIMELINE_STATUSES),
  content: Type.String(),
  metadata: Type.Optional(Metadata),
  sequence_number: Type.Integer({ minimum: 1 }),
  timestamp: Timestamp,
});

/** `content` replaces the streamed text. */
const TimelineEventCompleted = Type.Object({
  type: Type.Literal("timeline_event.completed"),
  event_id: Uuid,
  session_id: Uuid,
  event_type: literals(TIMELINE_EVENT_TYPES),
  status: literals(TIMELINE_STATUSES),
  content: Type.String(),
  metadata: Type.Optional(Metadata),
  timestamp: Timestamp,
});

/** Payload of one row of the event log. Number (`seq`) and cursor (`db_event_id`) are added when it is read. */
export const SessionEventPayload = Type.Union([
  SessionStatusChanged,
  StageChanged,
  ExecutionStatusChanged,
  SessionProgressed,
  TimelineEventCreated,
  TimelineEventCompleted,
]);
export type SessionEventPayload = Static<typeof SessionEventPayload>;

type WithoutTimestamp<P> = P extends unknown ? Omit<P, "timestamp"> : never;

/** A payload before its commit, which adds the timestamp: one clock, the database's, for all writers of a session. */
export type UnstampedPayload = WithoutTimestamp<SessionEventPayload>;

/** Parses a stored payload; throws TerminalError `malformed`. */
export const parseSessionEventPayload = compileParser("session event payload", SessionEventPayload);

/** A committed event. `seq` counts from 1 within the session without gaps; `db_event_id` ascends over all sessions. */
export interface SessionEvent {
  readonly session_id: string;
  readonly seq: number;
  readonly db_event_id: number;
  readonly payload: SessionEventPayload;
}

/**
 * executor, api → notifier, api. An event above MAX_INLINE_PAYLOAD_BYTES is sent without its payload, which readers
 * take from the event's row, so that no message approaches the server's max_payload.
 */
export const BusEvent = Type.Object({
  session_id: Uuid,
  seq: Type.Integer({ minimum: 1 }),
  db_event_id: Type.Integer({ minimum: 1 }),
  payload: Type.Optional(SessionEventPayload),
});
export type BusEvent = Static<typeof BusEvent>;

export const busEventCodec = jsonCodec("session event", BusEvent);

export const MAX_INLINE_PAYLOAD_BYTES = 64 * 1024;

/** True for an event about a session as a whole: these are published on the feed, too (channel `sessions`). */
export function belongsToFeed({ type }: SessionEventPayload): boolean {
  return type === "session.status" || type === "session.progress" || type === "session.completed";
}
