import { uuidFrom } from "#shared/uuid-from.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { THINKING_SOURCES, type ThinkingSource, type TimelineEventType } from "#shared/contracts/statuses.ts";
import type { TimelineMemory } from "../state/agent-memory.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { LiveStream, LiveStreams } from "../stream/live-streams.ts";
import type { StepRecord } from "./step-record.ts";
import { ofExecution, type NewTimelineRow, type OfExecution, type TimelineEnd } from "../state/step-rows.ts";

/** The rows that one LLM call may stream into, at most one of each. */
const STREAMS = {
  /** Text that the provider marks as thinking. */
  thinking: { type: "llm_thinking", metadata: { source: "native" } },
  /** The text after `Thought:` in a ReAct reply. */
  thought: { type: "llm_thinking", metadata: { source: "react" } },
  response: { type: "llm_response", metadata: null },
  answer: { type: "final_analysis", metadata: null },
  /** The summary of a large tool result. */
  summary: { type: "mcp_tool_summary", metadata: null },
} as const satisfies Record<string, { type: TimelineEventType; metadata: object | null }>;
export type StreamKind = keyof typeof STREAMS;
const STREAM_KINDS: readonly StreamKind[] = ["thinking", "thought", "response", "answer", "summary"];

/** A timeline row that was opened for streaming and is not complete. */
interface OpenRow {
  readonly eventId: string;
  readonly kind: StreamKind;
  /** The attempt that opened it; undefined for one of a call that is made again. */
  readonly openedIn: number | undefined;
  /** Whether its live text may be sent: its row and its event are stored. */
  isStored: boolean;
  /** Undefined until the running attempt produces text for a row that an earlier attempt opened. */
  stream: LiveStream | undefined;
}

/** A row that is complete when it is inserted. */
export interface WholeRow {
  readonly type: TimelineEventType;
  readonly content: string;
  readonly metadata: object | null;
  /** True if the row reports a failure; by default it is completed. */
  readonly status?: "failed";
  /** Names the row within its iteration, if it must be found again. */
  readonly key?: string;
  /** The LLM call it belongs to. */
  readonly interactionId: string | null;
  /** The tool listing or call it belongs to. */
  readonly mcpInteractionId?: string;
}

/** How an open row ends. */
export type RowEnd = Pick<TimelineEnd, "status" | "content" | "metadata"> & {
  readonly interactionId: string | null;
};

interface TimelineWriterOptions {
  readonly sessionId: string;
  readonly execution: OfExecution;
  readonly iteration: number;
  /** Distinguishes the rows of several calls of one iteration that stream the same kind. */
  readonly streamKey?: string;
  /** Numbers kept free before a streamed answer, for what is known only at its end and belongs before it. */
  readonly keptBeforeAnswer?: number;
  /** The execution's timeline when the call begins. */
  readonly timeline: Pick<TimelineMemory, "nextSequence" | "open">;
}

/** The parts that a writer needs to stream text into its rows. */
interface Streaming {
  readonly streams: LiveStreams;
  /** Stores a row that was opened. */
  readonly commit: (opened: StepRecord) => Promise<void>;
}

/** The id of a row that is complete when it is inserted. */
export function wholeRowId(
  { execution_id }: Pick<ExecutionState, "execution_id">,
  iteration: number,
  key: string,
): string {
  return uuidFrom(`timeline:${iteration}:row:${key}`, execution_id);
}

/**
 * The timeline rows of one LLM call, or of another step of an execution. Row ids derive from execution, iteration and
 * kind: when a call is repeated after a crash, its open rows are found and reused, with the same id and sequence number.
 */
export class TimelineWriter implements AsyncDisposable {
  readonly #options: TimelineWriterOptions;
  readonly #streaming: Streaming | undefined;
  readonly #rows: OpenRow[];
  readonly #added: NewTimelineRow[] = [];
  readonly #ended: TimelineEnd[] = [];
  readonly #events: UnstampedPayload[] = [];
  /** Rows that were opened and are not stored, and when. */
  #unstored: { readonly open: OpenRow; readonly row: NewTimelineRow; readonly openedAt: number }[] = [];
  #storesLater: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  #nextSequence: number;
  /** The first and the end of the numbers that were kept free before the answer. */
  #kept = { next: 0, end: 0 };
  #attempt = 1;

  /** A writer that streams needs `streaming`. */
  constructor(options: TimelineWriterOptions, streaming?: Streaming) {
    const { timeline } = options;
    this.#options = options;
    this.#streaming = streaming;
    this.#nextSequence = timeline.nextSequence;
    const kinds = timeline.open.size === 0 ? [] : STREAM_KINDS;
    const rows = kinds.map((kind) => ({ eventId: this.#streamId(kind), kind, openedIn: undefined }));
    this.#rows = rows
      .filter(({ eventId }) => timeline.open.has(eventId))
      .map((row) => ({ ...row, isStored: true, stream: undefined }));
    // For the answer that a former owner opened.
    const opened = this.#rows.find(({ kind }) => kind === "answer");
    const answer = opened && timeline.open.get(opened.eventId);
    if (answer !== undefined) {
      this.#kept = { next: answer - (options.keptBeforeAnswer ?? 0), end: answer };
    }
  }

  /** Starts another attempt of the call: text streamed by earlier attempts is discarded, their rows stay open. */
  beginAttempt(attempt: number): void {
    this.#attempt = attempt;
    this.close();
    for (const row of this.#rows) row.stream = undefined;
  }

  /** Opens and stores the call's row of this kind before its first delta, unless an earlier attempt has. */
  async begin(kind: StreamKind, metadata: object): Promise<void> {
    if (!this.#rows.some((open) => open.kind === kind)) this.#open(kind, metadata);
    await this.#store();
  }

  /**
   * Streams a delta into the call's row of this kind; the first delta opens the row. It is stored at once if a notifier follows the
   * session, else after `atOnceMs` of the streams or, if the call ends before, with `record`. While rows are being stored, returns a promise of it: await
   * it before the next delta.
   */
  append(kind: StreamKind, delta: string): Promise<void> | undefined {
    this.#appendTo(this.#rows.find((open) => open.kind === kind) ?? this.#openSoon(kind), delta);
    return this.#storing;
  }

  /** The open rows by sequence number; `text` is null if the last attempt wrote nothing. */
  openRows(): readonly { eventId: string; kind: StreamKind; text: string | null }[] {
    return this.#rows.map(({ eventId, kind, stream }) => ({ eventId, kind, text: stream?.text() ?? null }));
  }

  /** Ends an open row. */
  complete(
    { eventId, kind }: Pick<OpenRow, "eventId" | "kind">,
    { status, content, interactionId, metadata }: RowEnd,
  ): void {
    const { type } = STREAMS[kind];
    this.#ended.push({
      event_id: eventId,
      execution_id: this.#options.execution.execution_id,
      event_type: type,
      status,
      content,
      llm_interaction_id: interactionId,
      ...(metadata === undefined ? {} : { metadata }),
    });
    this.#events.push({
      type: "timeline_event.completed",
      event_id: eventId,
      session_id: this.#options.sessionId,
      event_type: type,
      status,
      content,
      ...(metadata === undefined ? {} : { metadata }),
    });
  }

  /** Adds a complete row of a kind that was not streamed. */
  addStream(
    kind: StreamKind,
    row: Pick<WholeRow, "content" | "interactionId"> & Partial<Pick<WholeRow, "metadata">>,
  ): void {
    this.add({ ...STREAMS[kind], ...row });
  }

  /** Adds a complete row with a number before that of the streamed answer, as long as one is free. */
  addBeforeAnswer(row: WholeRow): void {
    const { next, end } = this.#kept;
    if (next === end) return this.add(row);
    this.#kept = { next: next + 1, end };
    return this.add(row, next);
  }

  /** Adds a complete row. */
  add(
    { key, type, content, metadata, interactionId, mcpInteractionId, status }: WholeRow,
    number?: number,
  ): void {
    const { execution, iteration } = this.#options;
    const sequence_number = number ?? this.#nextSequence++;
    const row = this.#newRow({
      sequence_number,
      event_id: wholeRowId(execution, iteration, key ?? String(sequence_number)),
      event_type: type,
      status: status ?? "completed",
      content,
      metadata,
      llm_interaction_id: interactionId,
      mcp_interaction_id: mcpInteractionId ?? null,
    });
    this.#added.push(row);
    this.#events.push(this.#createdEvent(row));
  }

  /** The rows that were opened and not stored, added and ended, and their events in this order. */
  record(): {
    readonly rows: Pick<StepRecord["rows"], "timeline" | "timelineEnds">;
    readonly events: UnstampedPayload[];
  } {
    const opened = this.#takeUnstored();
    const timeline = [...opened.rows, ...this.#added];
    return {
      rows: {
        ...(timeline.length === 0 ? {} : { timeline }),
        ...(this.#ended.length === 0 ? {} : { timelineEnds: this.#ended }),
      },
      events: [...opened.events, ...this.#events],
    };
  }

  /** Ends the storing of open rows, and sends the last chunks. Await it before the rows are completed. Throws if a row was not stored. */
  async flush(): Promise<void> {
    if (this.#unstored.length > 0 && (await this.#isFollowed())) this.#beginStoring();
    await this.#storing;
    await Promise.all(this.#rows.flatMap(({ stream }) => stream?.flush() ?? []));
  }

  /** Drops the live streams: after the commit, or before another attempt. */
  close(): void {
    for (const { eventId } of this.#rows) this.#streaming?.streams.forget(eventId);
  }

  /** Ends the storing of open rows, however the call has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#takeUnstored();
    await this.#storing?.catch(() => undefined);
  }

  #streamId(kind: StreamKind): string {
    const { execution, iteration, streamKey = "" } = this.#options;
    return uuidFrom(`timeline:${iteration}:${kind}${streamKey}`, execution.execution_id);
  }

  #appendTo(row: OpenRow, delta: string): void {
    row.stream ??= this.#streaming?.streams.open(row.eventId, this.#attempt, {
      isRepeated: row.openedIn !== this.#attempt,
      isHeld: !row.isStored,
      parentExecutionId: this.#options.execution.parent_execution_id,
    });
    row.stream?.append(delta);
  }

  #openSoon(kind: StreamKind): OpenRow {
    const opened = this.#open(kind);
    this.#storesLater ??= setTimeout(() => this.#beginStoring(), this.#streaming?.streams.atOnceMs);
    void this.#isFollowed().then((isFollowed) => isFollowed && this.#beginStoring());
    return opened;
  }

  async #isFollowed(): Promise<boolean> {
    return (await this.#streaming?.streams.isFollowed()) === true;
  }

  #beginStoring(): void {
    this.#storing = Promise.resolve(this.#storing).then(() => this.#store());
    this.#storing.catch(() => undefined); // the next delta or `flush` reports it
  }

  #open(kind: StreamKind, ofCall?: object): OpenRow {
    const { type, metadata } = STREAMS[kind];
    if (kind === "answer") this.#keepNumbers();
    const row = this.#newRow({
      sequence_number: this.#nextSequence++,
      event_id: this.#streamId(kind),
      event_type: type,
      status: "streaming",
      content: "",
      metadata: ofCall ?? metadata,
      llm_interaction_id: null,
      mcp_interaction_id: null,
    });
    const eventId = row.event_id;
    const open: OpenRow = { eventId, kind, openedIn: this.#attempt, isStored: false, stream: undefined };
    this.#rows.push(open);
    this.#unstored.push({ open, row, openedAt: performance.now() });
    return open;
  }

  async #store(): Promise<void> {
    const { opened, rows: timeline, events } = this.#takeUnstored();
    if (opened.length > 0) await this.#streaming?.commit({ rows: { timeline }, events });
    for (const open of opened) {
      open.isStored = true;
      open.stream?.release();
    }
  }

  #takeUnstored(): {
    readonly opened: readonly OpenRow[];
    readonly rows: readonly NewTimelineRow[];
    readonly events: readonly UnstampedPayload[];
  } {
    clearTimeout(this.#storesLater);
    this.#storesLater = undefined;
    const taken = this.#unstored;
    this.#unstored = [];
    const rows = taken.map(({ row, openedAt }) => ({ ...row, age_ms: performance.now() - openedAt }));
    return {
      opened: taken.map(({ open }) => open),
      rows,
      events: rows.map((row) => this.#createdEvent(row)),
    };
  }

  #keepNumbers(): void {
    const next = this.#nextSequence;
    this.#nextSequence += this.#options.keptBeforeAnswer ?? 0;
    this.#kept = { next, end: this.#nextSequence };
  }

  #newRow(row: Omit<NewTimelineRow, keyof OfExecution>): NewTimelineRow {
    return { ...row, ...ofExecution(this.#options.execution) };
  }

  #createdEvent(row: NewTimelineRow): UnstampedPayload {
    const { event_id, event_type, status, content, metadata, sequence_number } = row;
    return {
      type: "timeline_event.created",
      event_id,
      session_id: this.#options.sessionId,
      ...ofExecution(row),
      event_type,
      status,
      content,
      // The created event of a streaming row has its source or what it summarizes; the rest of the metadata has the row.
      ...(status === "streaming" && event_type !== "mcp_tool_summary" ? sourceOf(metadata) : { metadata }),
      sequence_number,
    };
  }
}

function sourceOf(metadata: object | null): { readonly source?: ThinkingSource } {
  const source: unknown = metadata === null ? undefined : Reflect.get(metadata, "source");
  const known = THINKING_SOURCES.find((one) => one === source);
  return known === undefined ? {} : { source: known };
}
