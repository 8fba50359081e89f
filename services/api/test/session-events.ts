import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { ApiFixture } from "./api-fixture.ts";

const { signal } = new AbortController();

/** Writes session events as an executor does. */
export class SessionEvents implements AsyncDisposable {
  readonly #api: ApiFixture;
  readonly #bus: Bus;

  private constructor(api: ApiFixture, bus: Bus) {
    this.#api = api;
    this.#bus = bus;
  }

  /** Resolves once the api is connected to the bus too. */
  static async of(api: ApiFixture): Promise<SessionEvents> {
    await api.untilConnected();
    const log = pino({ level: "silent" });
    return new SessionEvents(api, await openBus({ url: api.servers.nats.url, name: "test", log, signal }));
  }

  /** Commits events without publishing them. */
  async commit(id: string, payloads: readonly UnstampedPayload[]): Promise<SessionEvent[]> {
    const events = await this.#api.db.transaction(async (manager) => appendEvents(manager, id, payloads));
    return events ?? [];
  }

  /** Commits events and publishes them. */
  async emit(id: string, payloads: readonly UnstampedPayload[]): Promise<SessionEvent[]> {
    const events = await this.commit(id, payloads);
    for (const event of events) await this.publish(event);
    return events;
  }

  async publish(event: SessionEvent): Promise<void> {
    publishEvent(this.#bus, event);
    await this.#bus.flush();
  }

  /** Completes the session and emits its last event. */
  async complete(id: string): Promise<SessionEvent[]> {
    await this.#api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [id],
    );
    return this.emit(id, [{ type: "session.completed", session_id: id, status: "completed" }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bus[Symbol.asyncDispose]();
  }
}

export function statusEvent(id: string): UnstampedPayload {
  return { type: "session.status", session_id: id, status: "in_progress" };
}

export function textEvent(id: string, content: string): UnstampedPayload {
  return {
    type: "timeline_event.completed",
    event_id: randomUUID(),
    session_id: id,
    event_type: "llm_thinking",
    status: "completed",
    content,
  };
}

/** An event as clients receive it. */
export function onTheWire({ payload, seq, db_event_id }: SessionEvent): object {
  return { ...payload, seq, db_event_id };
}

export function times<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index));
}
