import { Type, type Static, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import { BudgetCause } from "#shared/contracts/budget.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CONCLUSION_STATUSES } from "#shared/contracts/conclusion.ts";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { literals } from "#shared/contracts/literals.ts";
import { QUALITY_RATINGS, REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import {
  APPROVAL_DECISIONS,
  INTERACTION_KINDS,
  RUN_STATUSES,
  SESSION_STATUSES,
  STAGE_TYPES,
  STEERING_MODES,
  THINKING_SOURCES,
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
  PARKED_BY,
} from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/**
 * RFC 3339 in UTC with milliseconds, e.g. 2026-01-31T12:00:00.000Z: when the event was committed, by the clock of the
 * database. It never runs backwards within a session.
 */
const Timestamp = Type.String({ minLength: 1 });
/** The execution that an event is about. */
const OF_EXECUTION = {
  stage_id: Uuid,
  execution_id: Uuid,
  /** The agent that started this one; absent unless it is a sub-agent. */
  parent_execution_id: Type.Optional(Uuid),
};
/** Every event has its session and its time. */
const event = <T extends TSchema, F extends Readonly<Record<string, TSchema>>>(type: T, fields: F) =>
  Type.Object({ type, session_id: Uuid, ...fields, timestamp: Timestamp });
const Metadata = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);

const SessionStatusChanged = event(
  Type.Union([Type.Literal("session.status"), Type.Literal("session.completed")]),
  {
    status: literals(SESSION_STATUSES),
    /** Present when the session ended otherwise than `completed`. */
    error_message: Type.Optional(Type.String()),
  },
);

/**
 * The executor that ran the session was lost, and another one goes on from the last committed step. Not sent for a session that its
 * executor gave back.
 */
const SessionTakenOver = event(Type.Literal("session.taken_over"), {
  /** The number of the claim; it rises with each. */
  epoch: Type.Integer({ minimum: 2 }),
  /** The time since the last sign of life of the executor that was lost. */
  silent_ms: Type.Integer({ minimum: 0 }),
});

/** The session has given its place up, and goes on later from its last committed step. */
export const SessionParked = event(Type.Literal("session.parked"), {
  by: literals(PARKED_BY),
  /** The name of the person; null if it gave its place to a critical session. */
  actor: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  /** It goes on by itself then at the latest; null: as soon as there is a place. ISO 8601. */
  until: Type.Union([Type.String(), Type.Null()]),
});

/** A parked session goes on. */
export const SessionResumed = event(Type.Literal("session.resumed"), {
  /** The time for which it was parked; this counts against no deadline. */
  parked_ms: Type.Integer({ minimum: 0 }),
});

const StageChanged = event(Type.Union([Type.Literal("stage.started"), Type.Literal("stage.completed")]), {
  stage_id: Uuid,
  stage_name: Type.String(),
  /** Counts from 1 in the chain. */
  stage_index: Type.Integer({ minimum: 1 }),
  status: literals(RUN_STATUSES),
  /** The type of every stage that follows the end of its session; else of `stage.started`, with the number of the stage's agents without the synthesis. */
  stage_type: Type.Optional(literals(STAGE_TYPES)),
  expected_agent_count: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Of replicas that stop when they agree, how many begin at once; the others begin one at a time. */
  min_agent_count: Type.Optional(Type.Integer({ minimum: 1 })),
});

/** Sent when the status of an agent's execution changes; its creation as `pending` has no event. */
const ExecutionStatusChanged = event(Type.Literal("execution.status"), {
  ...OF_EXECUTION,
  agent_name: Type.String(),
  /** Counts from 1; a stage's synthesis agent has the highest index. Sub-agents count from 1 below their parent. */
  agent_index: Type.Integer({ minimum: 1 }),
  status: literals(RUN_STATUSES),
  /** Present when the agent ended otherwise than `completed`. */
  error_message: Type.Optional(Type.String()),
});

/** Sent when a stage begins, and when an agent begins or ends. */
const SessionProgressed = event(Type.Literal("session.progress"), {
  /** Counts from 1. */
  current_stage_index: Type.Integer({ minimum: 1 }),
  current_stage_name: Type.String(),
  /** Present when not the stage's agents are at work but its synthesis or, after the last stage, the executive summary. */
  current_stage_type: Type.Optional(literals(["synthesis", "exec_summary"])),
  total_stages: Type.Integer({ minimum: 1 }),
  /** Number of agents currently running. */
  active_executions: Type.Integer({ minimum: 0 }),
  /** One short phrase for people. */
  status_text: Type.String(),
});

/**
 * An event with status `streaming` has empty content and no metadata, and a completed event follows. Any other is
 * complete, and none follows.
 */
const TimelineEventCreated = event(Type.Literal("timeline_event.created"), {
  event_id: Uuid,
  ...OF_EXECUTION,
  event_type: literals(TIMELINE_EVENT_TYPES),
  status: literals(TIMELINE_STATUSES),
  content: Type.String(),
  metadata: Type.Optional(Metadata),
  /** The source of a streaming `llm_thinking`, as in its row's metadata. */
  source: Type.Optional(literals(THINKING_SOURCES)),
  sequence_number: Type.Integer({ minimum: 1 }),
});

/** `content` replaces the streamed text. */
const TimelineEventCompleted = event(Type.Literal("timeline_event.completed"), {
  event_id: Uuid,
  event_type: literals(TIMELINE_EVENT_TYPES),
  status: literals(TIMELINE_STATUSES),
  content: Type.String(),
  metadata: Type.Optional(Metadata),
});

/** The most characters of a call's arguments that the event about a question has; its approval has all of them. */
export const MAX_ASKED_ARGUMENTS = 4_000;

/** A person is asked whether a tool call may be made. */
export const ApprovalRequested = event(Type.Literal("approval.requested"), {
  stage_id: Uuid,
  execution_id: Uuid,
  approval_id: Uuid,
  agent_name: Type.String(),
  /** "server.tool" */
  tool: Type.String(),
  /** The arguments as the tool will get them, or their beginning. */
  arguments: Type.String(),
  arguments_complete: Type.Boolean(),
  /** The call is not made without a decision by then; ISO 8601. */
  expires_at: Type.String(),
});

/** The question about a tool call is closed. */
export const ApprovalDecided = event(Type.Literal("approval.decided"), {
  execution_id: Uuid,
  approval_id: Uuid,
  /** "server.tool" */
  tool: Type.String(),
  /** `expired`: there was no decision in time, or the agent ended before. */
  state: literals(APPROVAL_DECISIONS),
  /** Null without a decision. */
  decided_by: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
});

/** A person's message to the agents of a running session. Which of them have read it, their timelines say. */
export const SteerReceived = event(Type.Literal("steer.received"), {
  message_id: Uuid,
  mode: literals(STEERING_MODES),
  /** Null where the mode needs none. */
  content: Type.Union([Type.String(), Type.Null()]),
  author: Type.String(),
  /** The agent that is addressed; null for all that run, or those that start next. */
  execution_id: Type.Union([Uuid, Type.Null()]),
});

/**
 * Alerts of the same incident have joined a running session. There is one for the first, then at most one in 5 s, and one for each
 * that says that the incident is over.
 */
export const AlertLinked = event(Type.Literal("alert.linked"), {
  /** The alerts of the session so far, with the one that started it. */
  count: Type.Integer({ minimum: 1 }),
  /** The newest of them says that it is over. */
  is_resolved: Type.Boolean(),
  /** The session's reaction to that reason; null for nothing. */
  effect: Type.Union([Type.Literal("conclude"), Type.Literal("cancel"), Type.Null()]),
});

/** The review of a session that ended began or went on. Members that are absent are empty. */
export const ReviewChanged = event(Type.Literal("review.status"), {
  review_status: literals(REVIEW_STATUSES),
  assignee: Type.Optional(Type.String()),
  quality_rating: Type.Optional(literals(QUALITY_RATINGS)),
  action_taken: Type.Optional(Type.String()),
  investigation_feedback: Type.Optional(Type.String()),
  /** The name of the reviewer, or `system`. */
  actor: Type.String(),
});

/** The record of a call of a model or a tool, or of a listing of a server's tools, is stored. */
export const InteractionCreated = event(Type.Literal("interaction.created"), {
  ...OF_EXECUTION,
  interaction_id: Uuid,
  interaction_type: literals(INTERACTION_KINDS),
});

/** The first question about a session was asked. */
export const ChatCreated = event(Type.Literal("chat.created"), {
  chat_id: Uuid,
  /** The name of the person who asked. */
  created_by: Type.String(),
});

/**
 * A budget stops an agent: `budget.soft_limit` has it conclude from what it knows, and after `budget.exceeded` there was no room for a
 * call, so it fails.
 */
export const BudgetReached = event(
  Type.Union([Type.Literal("budget.soft_limit"), Type.Literal("budget.exceeded")]),
  {
    ...OF_EXECUTION,
    ...BudgetCause.properties,
  },
);

/** The quotes of an agent's conclusion have been compared with the results. */
export const ConclusionChecked = event(Type.Literal("conclusion.checked"), {
  ...OF_EXECUTION,
  /** 1, or 2 after a correction. */
  attempt: Type.Integer({ minimum: 1 }),
  status: literals(CONCLUSION_STATUSES),
  claims_verified: Type.Integer({ minimum: 0 }),
  claims_total: Type.Integer({ minimum: 0 }),
});

/** The state of a session's scoring has changed. */
export const ScoreUpdated = event(Type.Literal("session.score_updated"), {
  score_id: Uuid,
  scoring_status: ScoreStatus,
  /** Present once it is known. */
  total_score: Type.Optional(Score),
});

/** Payload of one row of the event log. Number (`seq`) and cursor (`db_event_id`) are added when it is read. */
export const SessionEventPayload = Type.Union([
  SessionStatusChanged,
  SessionTakenOver,
  SessionParked,
  SessionResumed,
  StageChanged,
  ExecutionStatusChanged,
  SessionProgressed,
  TimelineEventCreated,
  TimelineEventCompleted,
  ApprovalRequested,
  ApprovalDecided,
  ReviewChanged,
  SteerReceived,
  AlertLinked,
  InteractionCreated,
  ChatCreated,
  ScoreUpdated,
  BudgetReached,
  ConclusionChecked,
]);
export type SessionEventPayload = Static<typeof SessionEventPayload>;

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  SessionEventPayload.anyOf.flatMap(({ properties: { type } }) =>
    "const" in type ? [type.const] : type.anyOf.map((one) => one.const),
  ),
);

/** An event of a type that only a later version knows. During an upgrade, and after going back, readers pass it on unchanged. */
export const LaterPayload = Type.Object({
  type: Type.String({ not: { enum: [...KNOWN_TYPES] } }),
  session_id: Uuid,
  timestamp: Timestamp,
});

/** Payload of one row of the event log as readers find it: the row's writer can have a later version. */
export const StoredPayload = Type.Union([...SessionEventPayload.anyOf, LaterPayload]);
export type StoredPayload = Static<typeof StoredPayload>;

/** The payload if this version knows its type, else undefined. */
export function knownPayload(payload: StoredPayload): SessionEventPayload | undefined {
  return isKnown(payload) ? payload : undefined;
}

function isKnown(payload: StoredPayload): payload is SessionEventPayload {
  return KNOWN_TYPES.has(payload.type);
}

type WithoutTimestamp<P> = P extends unknown ? Omit<P, "timestamp"> : never;

/** A payload before its commit, which adds the timestamp: one clock, the database's, for all writers of a session. */
export type UnstampedPayload = WithoutTimestamp<SessionEventPayload>;

/** Parses a stored payload; throws TerminalError `malformed`. */
export const parseStoredPayload = compileParser("session event payload", StoredPayload);

/** A committed event. `seq` counts from 1 within the session without gaps; `db_event_id` ascends over all sessions. */
export interface SessionEvent {
  readonly session_id: string;
  readonly seq: number;
  readonly db_event_id: number;
  readonly payload: SessionEventPayload;
}

/** A committed event as readers find it. */
export interface StoredEvent extends Omit<SessionEvent, "payload"> {
  readonly payload: StoredPayload;
}

/**
 * executor, api → notifier, api. An event above MAX_INLINE_PAYLOAD_BYTES is sent without its payload, which readers
 * take from the event's row, so that no message approaches the server's max_payload.
 */
export const BusEvent = Type.Object({
  session_id: Uuid,
  seq: Type.Integer({ minimum: 1 }),
  db_event_id: Type.Integer({ minimum: 1 }),
  payload: Type.Optional(StoredPayload),
});
export type BusEvent = Static<typeof BusEvent>;

export const busEventCodec = jsonCodec("session event", BusEvent);

export const MAX_INLINE_PAYLOAD_BYTES = 64 * 1024;

const FEED_TYPES: ReadonlySet<string> = new Set<SessionEventPayload["type"]>([
  "session.status",
  "session.progress",
  "session.completed",
  "session.parked",
  "session.resumed",
  "approval.requested",
  "approval.decided",
  "review.status",
]);

/**
 * True for an event about a session as a whole, or one that people wait for: these are published on the feed, too (channel
 * `sessions`).
 */
export function belongsToFeed({ type }: StoredPayload): boolean {
  return FEED_TYPES.has(type);
}
