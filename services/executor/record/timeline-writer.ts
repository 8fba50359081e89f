import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import type { TimelineEventType, TimelineStatus } from "#shared/contracts/statuses.ts";
import type { AgentExecution } from "#shared/database/entities/agent-execution.ts";
import { TimelineEventEntity, type TimelineEvent } from "#shared/database/entities/timeline-event.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "./commit-step.ts";
import type { LiveStream } from "./live-streams.ts";

/** A timeline row that was opened for streaming and awaits its content. */
interface OpenRow {
  readonly eventId: string;
  readonly type: TimelineEventType;
  /** Absent while this call has produced nothing for the row: a former attempt opened it. */
  stream: LiveStream | undefined;
}

/** What distinguishes a new row from its siblings. */
type InsertedRow = Pick<TimelineEvent, "event_id" | "event_type" | "status" | "content"> &
  Partial<Pick<TimelineEvent, "metadata" | "llm_interaction_id">>;

/** How an open row ends. */
export interface RowEnd {
  readonly status: Exclude<TimelineStatus, "streaming">;
  readonly content: string;
  readonly interactionId: string | null;
}

/** A row that is announced whole. */
export interface WholeRow {
  readonly type: TimelineEventType;
  readonly content: string;
  readonly metadata: object | null;
  readonly interactionId: string | null;
}

/** The timeline rows of one LLM call of an execution. */
export interface TimelineWriter {
  /** Streams a delta into the call's row of this type, opening the row with the first one. */
  append(type: TimelineEventType, attempt: number, delta: string): Promise<void>;
  /** The open rows in the order of their sequence numbers; `text` is null where this call wrote nothing. */
  openRows(): readonly { eventId: string; type: TimelineEventType; text: string | null }[];
  /** Within a step's transaction: ends an open row and returns its event. */
  complete(manager: EntityManager, eventId: string, end: RowEnd): Promise<SessionEventPayload>;
  /** Within a step's transaction: adds a row that is complete from the start and returns its event. */
  add(manager: EntityManager, row: WholeRow): Promise<SessionEventPayload>;
  /** Sends the last chunks; to be awaited before the rows are completed. */
  flush(): Promise<void>;
  /** After the commit: the streams are over. */
  close(): void;
}

/**
 * Opens the writer for one call. Row ids derive from execution, iteration and type: when a call is made again after a
 * crash, its rows are found open and used again, with the same id and sequence number.
 */
export async function openTimelineWriter(
  session: OwnedSession,
  execution: AgentExecution,
  iteration: number,
): Promise<TimelineWriter> {
  const { sessionId, db, streams } = session;
  const { execution_id, stage_id } = execution;
  const existing = await db.getRepository(TimelineEventEntity).find({
    select: { event_id: true, event_type: true, status: true, sequence_number: true },
    where: { execution_id },
    order: { sequence_number: "ASC" },
  });
  let nextSequence = (existing.at(-1)?.sequence_number ?? 0) + 1;
  const rows: OpenRow[] = existing
    .filter(({ status }) => status === "streaming")
    .map(({ event_id, event_type }) => ({ eventId: event_id, type: event_type, stream: undefined }));

  const insert = async (manager: EntityManager, row: InsertedRow) => {
    const ids = { event_id: row.event_id, session_id: sessionId, stage_id, execution_id };
    const sequence_number = nextSequence;
    await manager.insert(TimelineEventEntity, { ...row, ...ids, sequence_number });
    const event: SessionEventPayload = {
      type: "timeline_event.created",
      ...ids,
      event_type: row.event_type,
      status: row.status,
      content: row.content,
      sequence_number,
      ...(row.metadata === undefined ? {} : { metadata: row.metadata }),
      timestamp: new Date().toISOString(),
    };
    return event;
  };

  const openRow = async (type: TimelineEventType): Promise<OpenRow> => {
    const found = rows.find((row) => row.type === type);
    if (found !== undefined) return found;
    const event_id = uuidFrom(`timeline:${iteration}:${type}`, execution_id);
    await commitStep(session, async (manager) => ({
      events: [await insert(manager, { event_id, event_type: type, status: "streaming", content: "" })],
    }));
    nextSequence++;
    const row: OpenRow = { eventId: event_id, type, stream: undefined };
    rows.push(row);
    return row;
  };

  return {
    append: async (type, attempt, delta) => {
      const row = await openRow(type);
      if (row.stream?.attempt !== attempt) row.stream = streams.open(row.eventId, attempt);
      row.stream.append(delta);
    },
    openRows: () =>
      rows.map(({ eventId, type, stream }) => ({ eventId, type, text: stream?.text() ?? null })),
    complete: async (manager, eventId, { status, content, interactionId }) => {
      const set = { status, content, llm_interaction_id: interactionId, updated_at: () => "now()" };
      await manager.update(TimelineEventEntity, { event_id: eventId }, set);
      const type = rows.find((row) => row.eventId === eventId)?.type ?? "llm_response";
      return {
        type: "timeline_event.completed",
        event_id: eventId,
        session_id: sessionId,
        event_type: type,
        status,
        content,
        timestamp: new Date().toISOString(),
      };
    },
    add: async (manager, { type, content, metadata, interactionId }) => {
      const event_id = uuidFrom(`timeline:${iteration}:${nextSequence}`, execution_id);
      const event = await insert(manager, {
        event_id,
        event_type: type,
        status: "completed",
        content,
        metadata,
        llm_interaction_id: interactionId,
      });
      nextSequence++;
      return event;
    },
    flush: async () => {
      await Promise.all(rows.flatMap(({ stream }) => stream?.flush() ?? []));
    },
    close: () => {
      for (const { eventId } of rows) streams.forget(eventId);
    },
  };
}
