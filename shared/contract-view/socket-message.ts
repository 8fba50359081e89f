import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { SHOWN_STAGE_TYPES } from "#shared/contract-view/shown-stages.ts";
import { ExecutionProgress, ToolProgress } from "#shared/contracts/live-progress.ts";
import { literals } from "#shared/contracts/literals.ts";
import {
  ApprovalDecided,
  ApprovalRequested,
  BudgetReached,
  AlertLinked,
  SessionParked,
  SessionResumed,
  SteerReceived,
  InteractionCreated,
  ChatCreated,
  ReviewChanged,
  ScoreUpdated,
} from "#shared/contracts/session-event.ts";
import {
  RUN_STATUSES,
  SESSION_STATUSES,
  TERMINAL_STATUSES,
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
} from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The members of every message about a session. */
const Base = { session_id: Uuid, timestamp: Type.String({ minLength: 1 }) };
/** The cursor of a message that can be caught up with; it rises within a session. */
const Cursor = { db_event_id: Type.Integer({ minimum: 1 }) };
/** The agent that started this one; absent unless it is a sub-agent. */
const OfSubAgent = { parent_execution_id: Type.Optional(Uuid) };
const Metadata = Type.Optional(Type.Object({}, { additionalProperties: true }));
const closed = { additionalProperties: false };

const SessionStatusMessage = Type.Object(
  {
    type: Type.Literal("session.status"),
    ...Base,
    status: literals(SESSION_STATUSES),
    error_message: Type.Optional(Type.String()),
    ...Cursor,
  },
  closed,
);

/** A shown stage begins or ends. */
const StageStatusMessage = Type.Object(
  {
    type: Type.Literal("stage.status"),
    ...Base,
    stage_id: Uuid,
    stage_name: Type.String(),
    /** Counts from 1 over all shown stages. */
    stage_index: Type.Integer({ minimum: 1 }),
    stage_type: literals(SHOWN_STAGE_TYPES),
    referenced_stage_id: Type.Optional(Uuid),
    status: Type.Union([Type.Literal("started"), literals(TERMINAL_STATUSES)]),
    ...Cursor,
  },
  closed,
);

const SessionProgressMessage = Type.Object(
  {
    type: Type.Literal("session.progress"),
    ...Base,
    current_stage_name: Type.String(),
    /** Counts from 1 over all shown stages. */
    current_stage_index: Type.Integer({ minimum: 1 }),
    total_stages: Type.Integer({ minimum: 1 }),
    active_executions: Type.Integer({ minimum: 0 }),
    status_text: Type.String(),
  },
  closed,
);

const ExecutionStatusMessage = Type.Object(
  {
    type: Type.Literal("execution.status"),
    ...Base,
    stage_id: Uuid,
    execution_id: Uuid,
    ...OfSubAgent,
    agent_name: Type.String(),
    /** Counts from 1 within the shown stage; of a sub-agent, from 1 below its parent. */
    agent_index: Type.Integer({ minimum: 1 }),
    status: literals(RUN_STATUSES),
    error_message: Type.Optional(Type.String()),
  },
  closed,
);

const TimelineCreatedMessage = Type.Object(
  {
    type: Type.Literal("timeline_event.created"),
    ...Base,
    event_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    ...OfSubAgent,
    event_type: literals(TIMELINE_EVENT_TYPES),
    status: literals(TIMELINE_STATUSES),
    content: Type.String(),
    metadata: Metadata,
    sequence_number: Type.Integer({ minimum: 1 }),
    ...Cursor,
  },
  closed,
);

const TimelineCompletedMessage = Type.Object(
  {
    type: Type.Literal("timeline_event.completed"),
    ...Base,
    event_id: Uuid,
    event_type: literals(TIMELINE_EVENT_TYPES),
    status: literals(TIMELINE_STATUSES),
    content: Type.String(),
    metadata: Metadata,
    /** Absent where an agent ended before its tool call. */
    db_event_id: Type.Optional(Cursor.db_event_id),
  },
  closed,
);

/** Appends text to the text of an open timeline event. */
const StreamChunkMessage = Type.Object(
  {
    type: Type.Literal("stream.chunk"),
    ...Base,
    event_id: Uuid,
    delta: Type.String({ minLength: 1 }),
  },
  closed,
);

const InteractionCreatedMessage = Type.Object({ ...InteractionCreated.properties, ...Cursor }, closed);
const ApprovalRequestedMessage = Type.Object({ ...ApprovalRequested.properties, ...Cursor }, closed);
const AlertLinkedMessage = Type.Object({ ...AlertLinked.properties, ...Cursor }, closed);
const SteerReceivedMessage = Type.Object({ ...SteerReceived.properties, ...Cursor }, closed);
const BudgetReachedMessage = Type.Object({ ...BudgetReached.properties, ...Cursor }, closed);
const SessionParkedMessage = Type.Object({ ...SessionParked.properties, ...Cursor }, closed);
const SessionResumedMessage = Type.Object({ ...SessionResumed.properties, ...Cursor }, closed);
const ApprovalDecidedMessage = Type.Object({ ...ApprovalDecided.properties, ...Cursor }, closed);

const ReviewStatusMessage = Type.Object({ ...ReviewChanged.properties, ...Cursor }, closed);

const ChatCreatedMessage = Type.Object({ ...ChatCreated.properties, ...Cursor }, closed);

const ScoreUpdatedMessage = Type.Object({ ...ScoreUpdated.properties, ...Cursor }, closed);

/** The messages of `/api/v1/ws` about sessions. */
export const SocketMessage = Type.Union([
  SessionStatusMessage,
  StageStatusMessage,
  SessionProgressMessage,
  ExecutionStatusMessage,
  TimelineCreatedMessage,
  TimelineCompletedMessage,
  StreamChunkMessage,
  InteractionCreatedMessage,
  ApprovalRequestedMessage,
  ApprovalDecidedMessage,
  BudgetReachedMessage,
  SteerReceivedMessage,
  AlertLinkedMessage,
  SessionParkedMessage,
  SessionResumedMessage,
  ReviewStatusMessage,
  ChatCreatedMessage,
  ScoreUpdatedMessage,
  ExecutionProgress,
  ToolProgress,
]);
export type SocketMessage = Static<typeof SocketMessage>;
