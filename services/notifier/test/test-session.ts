import { randomUUID } from "node:crypto";
import type { Bus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-message.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { serveRequests } from "#shared/bus/request.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import {
  snapshotReplyCodec,
  snapshotRequestCodec,
  type SnapshotReply,
  type SnapshotRequest,
} from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { Database } from "#shared/database/database.ts";

/** Writes and publishes the events of one session as an executor does. */
export class TestSession {
  readonly id = randomUUID();
  readonly stageId = randomUUID();
  readonly executionId = randomUUID();
  /** Of the first agents of the stage. */
  readonly executionIds = [this.executionId, randomUUID(), randomUUID()] as const;
  readonly #db: Database;
  readonly #bus: Bus;
  #sequence = 0;

  constructor(db: Database, bus: Bus) {
    this.#db = db;
    this.#bus = bus;
  }

  /** Commits events without publishing them. */
  async commit(...payloads: UnstampedPayload[]): Promise<SessionEvent[]> {
    const events = await this.#db.transaction(async (manager) => appendEvents(manager, this.id, payloads));
    if (events === null) throw new Error("the session does not exist");
    return events;
  }

  /** Commits events and publishes them. */
  async emit(...payloads: UnstampedPayload[]): Promise<SessionEvent[]> {
    const events = await this.commit(...payloads);
    for (const event of events) publishEvent(this.#bus, event);
    await this.#bus.flush();
    return events;
  }

  /** Commits events and publishes them without waiting for the server, as an executor does. */
  async write(...payloads: UnstampedPayload[]): Promise<SessionEvent[]> {
    const events = await this.commit(...payloads);
    for (const event of events) publishEvent(this.#bus, event);
    return events;
  }

  /** Publishes a piece of an open event's text. Resolves once the NATS server has received it. */
  async chunk(event_id: string, offset: number, delta: string, attempt = 1): Promise<void> {
    this.sendChunk(event_id, offset, delta, attempt);
    await this.#bus.connection.flush();
  }

  /** The same, without waiting. */
  sendChunk(event_id: string, offset: number, delta: string, attempt = 1): void {
    publishChunk(this.#bus, {
      type: "stream.chunk",
      session_id: this.id,
      event_id,
      attempt,
      offset,
      delta,
      timestamp: new Date().toISOString(),
    });
  }

  /** Answers snapshot requests. Return undefined for an event that is not streaming. */
  async answerSnapshots(
    answer: (request: SnapshotRequest) => SnapshotReply["streams"][number] | undefined,
  ): Promise<Disposable & { readonly requests: SnapshotRequest[] }> {
    const requests: SnapshotRequest[] = [];
    const served = serveRequests(
      this.#bus,
      { subject: SUBJECTS.snapshot(this.id) },
      { request: snapshotRequestCodec, reply: snapshotReplyCodec },
      (request) => {
        requests.push(request);
        const stream = answer(request);
        return { session_id: this.id, streams: stream === undefined ? [] : [stream] };
      },
    );
    await served.live();
    return { requests, [Symbol.dispose]: () => served.unsubscribe() };
  }

  status(status: "in_progress" | "cancelling" = "in_progress"): UnstampedPayload {
    return { type: "session.status", session_id: this.id, status };
  }

  ended(error_message?: string): UnstampedPayload {
    const status = error_message === undefined ? "completed" : "failed";
    const message = error_message === undefined ? {} : { error_message };
    return { type: "session.completed", session_id: this.id, status, ...message };
  }

  /** A timeline event that is complete when it is created. */
  whole(content: string): Extract<UnstampedPayload, { type: "timeline_event.created" }> {
    return { ...this.#created(randomUUID()), status: "completed", content, metadata: null };
  }

  /** A timeline event that starts empty and is streamed in chunks. */
  opened(eventId: string, source?: "native" | "react"): UnstampedPayload {
    const created = { ...this.#created(eventId), status: "streaming", content: "" } as const;
    return source === undefined ? created : { ...created, source };
  }

  closed(eventId: string, content: string): UnstampedPayload {
    return {
      type: "timeline_event.completed",
      event_id: eventId,
      session_id: this.id,
      event_type: "llm_thinking",
      status: "completed",
      content,
    };
  }

  /** Stores the row of an open event, for notifiers that start to follow the session in mid-stream. */
  async storeOpenRow(eventId: string): Promise<void> {
    await this.#db.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
       VALUES ($1, $2, 'analysis', 1, 1) ON CONFLICT DO NOTHING`,
      [this.stageId, this.id],
    );
    await this.#db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index,
         iteration_strategy, iteration_state, llm_provider)
       VALUES ($1, $2, $3, 'agent', 1, 'react', '{}', 'scripted') ON CONFLICT DO NOTHING`,
      [this.executionId, this.stageId, this.id],
    );
    await this.#db.query(
      `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, content)
       VALUES ($1, $2, $3, $4, $5, 'llm_thinking', '')`,
      [eventId, this.id, this.stageId, this.executionId, (this.#sequence += 1)],
    );
  }

  #created(eventId: string) {
    return {
      type: "timeline_event.created" as const,
      event_id: eventId,
      session_id: this.id,
      stage_id: this.stageId,
      execution_id: this.executionId,
      event_type: "llm_thinking" as const,
      sequence_number: (this.#sequence += 1),
    };
  }
}
