import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { TimelineEventType, TimelineStatus } from "#shared/contracts/statuses.ts";
import { TimelineEventEntity, type TimelineEvent } from "#shared/database/entities/timeline-event.ts";
import type { LiveStream } from "../stream/live-streams.ts";
import { commitStep } from "./commit-step.ts";
import type { ExecutionState } from "./load-session.ts";
import type { SessionWriter } from "./session-writer.ts";

/** The rows that one LLM call may stream into, at most one of each. */
const STREAMS = {
  /** What the provider marks as thinking. */
  thinking: { type: "llm_thinking", metadata: { source: "native" } },
  /** The text after `Thought:` in a ReAct reply. */
  thought: { type: "llm_thinking", metadata: { source: "react" } },
  response: { type: "llm_response", metadata: null },
  answer: { type: "final_analysis", metadata: null },
} as const satisfies Record<string, { type: TimelineEventType; metadata: object | null }>;
export type StreamKind = keyof typeof STREAMS;
const STREAM_KINDS: readonly StreamKind[] = ["thinking", "thought", "response", "answer"];

/** A timeline row that was opened for streaming and is not complete. */
interface OpenRow {
  readonly eventId: string;
  readonly kind: StreamKind;
  /** Undefined until the running attempt produces text for a row that an earlier attempt opened. */
  stream: LiveStream | undefined;
}

/** The columns of a new row that do not follow from its execution. */
type InsertedRow = Pick<TimelineEvent, "event_id" | "event_type" | "status" | "content"> &
  Partial<Pick<TimelineEvent, "metadata" | "llm_interaction_id" | "mcp_interaction_id">>;

/** How an open row ends. */
export interface RowEnd {
  readonly status: Exclude<TimelineStatus, "streaming">;
  readonly content: string;
  readonly interactionId: string | null;
}

/** A row that is complete when it is inserted. */
export interface WholeRow {
  readonly type: TimelineEventType;
  readonly content: string;
  readonly metadata: object | null;
  /** Names the row within its iteration, if it must be found again. */
  readonly key?: string;
  /** The LLM call it belongs to. */
  readonly interactionId: string | null;
  /** The tool listing or call it belongs to. */
  readonly mcpInteractionId?: string;
}

/**
 * Opens the writer for one LLM call. Row ids derive from execution, iteration and kind: when a call is repeated after a
 * crash, its open rows are found and reused, with the same id and sequence number.
 */
export async function openTimelineWriter(
  session: SessionWriter,
  execution: ExecutionState,
  iteration: number,
): Promise<TimelineWriter> {
  const existing = await session.db.getRepository(TimelineEventEntity).find({
    select: { event_id: true, event_type: true, status: true, sequence_number: true },
    where: { execution_id: execution.execution_id },
    order: { sequence_number: "ASC" },
  });
  const open = new Set(
    existing.filter(({ status }) => status === "streaming").map(({ event_id }) => event_id),
  );
  const rows = STREAM_KINDS.map((kind) => ({
    eventId: streamId(execution, iteration, kind),
    kind,
    stream: undefined,
  }));
  return new TimelineWriter(session, execution, {
    iteration,
    nextSequence: (existing.at(-1)?.sequence_number ?? 0) + 1,
    rows: rows.filter(({ eventId }) => open.has(eventId)),
  });
}

function streamId({ execution_id }: ExecutionState, iteration: number, kind: StreamKind): string {
  return uuidFrom(`timeline:${iteration}:${kind}`, execution_id);
}

/** The id of a row that is complete when it is inserted. */
export function wholeRowId({ execution_id }: ExecutionState, iteration: number, key: string): string {
  return uuidFrom(`timeline:${iteration}:row:${key}`, execution_id);
}

/** The timeline rows of one LLM call of an execution. */
export class TimelineWriter {
  readonly #session: SessionWriter;
  readonly #execution: ExecutionState;
  readonly #iteration: number;
  readonly #rows: OpenRow[];
  #nextSequence: number;
  #attempt = 1;

  constructor(
    session: SessionWriter,
    execution: ExecutionState,
    { iteration, nextSequence, rows }: { iteration: number; nextSequence: number; rows: OpenRow[] },
  ) {
    this.#session = session;
    this.#execution = execution;
    this.#iteration = iteration;
    this.#nextSequence = nextSequence;
    this.#rows = rows;
  }

  /** Starts another attempt of the call: text streamed by earlier attempts is discarded, their rows stay open. */
  beginAttempt(attempt: number): void {
    this.#attempt = attempt;
    this.close();
    for (const row of this.#rows) row.stream = undefined;
  }

  /** Streams a delta into the call's row of this kind; the first delta opens the row. */
  async append(kind: StreamKind, delta: string): Promise<void> {
    const row = this.#rows.find((open) => open.kind === kind) ?? (await this.#open(kind));
    row.stream ??= this.#session.streams.open(row.eventId, this.#attempt);
    row.stream.append(delta);
  }

  /** The open rows by sequence number; `text` is null if the last attempt wrote nothing. */
  openRows(): readonly { eventId: string; kind: StreamKind; text: string | null }[] {
    return this.#rows.map(({ eventId, kind, stream }) => ({ eventId, kind, text: stream?.text() ?? null }));
  }

  /** Within a step's transaction: ends an open row and returns its event. */
  async complete(
    manager: EntityManager,
    { eventId, kind }: Pick<OpenRow, "eventId" | "kind">,
    { status, content, interactionId }: RowEnd,
  ): Promise<UnstampedPayload> {
    await manager.update(
      TimelineEventEntity,
      { event_id: eventId },
      { status, content, llm_interaction_id: interactionId, updated_at: () => "now()" },
    );
    return {
      type: "timeline_event.completed",
      event_id: eventId,
      session_id: this.#session.sessionId,
      event_type: STREAMS[kind].type,
      status,
      content,
    };
  }

  /** Within a step's transaction: adds a complete row of a kind that was not streamed, and returns its event. */
  async addStream(
    manager: EntityManager,
    kind: StreamKind,
    row: Pick<WholeRow, "content" | "interactionId">,
  ): Promise<UnstampedPayload> {
    return this.add(manager, { ...row, ...STREAMS[kind] });
  }

  /** Within a step's transaction: adds a complete row and returns its event. */
  async add(
    manager: EntityManager,
    { key, type, content, metadata, interactionId, mcpInteractionId }: WholeRow,
  ): Promise<UnstampedPayload> {
    const event_id = wholeRowId(this.#execution, this.#iteration, key ?? String(this.#nextSequence));
    return this.#insert(manager, {
      event_id,
      event_type: type,
      status: "completed",
      content,
      metadata,
      llm_interaction_id: interactionId,
      mcp_interaction_id: mcpInteractionId ?? null,
    });
  }

  /** Sends the last chunks. Await it before the rows are completed. */
  async flush(): Promise<void> {
    await Promise.all(this.#rows.flatMap(({ stream }) => stream?.flush() ?? []));
  }

  /** Drops the live streams: after the commit, or before another attempt. */
  close(): void {
    for (const { eventId } of this.#rows) this.#session.streams.forget(eventId);
  }

  async #open(kind: StreamKind): Promise<OpenRow> {
    const eventId = streamId(this.#execution, this.#iteration, kind);
    const { type, metadata } = STREAMS[kind];
    const opened = {
      event_id: eventId,
      event_type: type,
      status: "streaming",
      content: "",
      metadata,
    } as const;
    await commitStep(this.#session, async (manager) => ({ events: [await this.#insert(manager, opened)] }));
    const row: OpenRow = { eventId, kind, stream: undefined };
    this.#rows.push(row);
    return row;
  }

  async #insert(manager: EntityManager, row: InsertedRow): Promise<UnstampedPayload> {
    const { session_id, stage_id, execution_id } = this.#execution;
    const sequence_number = this.#nextSequence++;
    await manager.insert(TimelineEventEntity, {
      ...row,
      session_id,
      stage_id,
      execution_id,
      sequence_number,
    });
    return {
      type: "timeline_event.created",
      event_id: row.event_id,
      session_id,
      stage_id,
      execution_id,
      event_type: row.event_type,
      status: row.status,
      content: row.content,
      // The created event of a streaming row carries no metadata; the row has it.
      ...(row.status === "streaming" ? {} : { metadata: row.metadata ?? null }),
      sequence_number,
    };
  }
}
