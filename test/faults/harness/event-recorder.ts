import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { WebSocket } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";

const parseMessage = compileParser(
  "message of the notifier",
  Type.Object(
    {
      type: Type.String(),
      session_id: Type.Optional(Type.String()),
      seq: Type.Optional(Type.Integer()),
      db_event_id: Type.Optional(Type.Integer()),
      message: Type.Optional(Type.String()),
      channel: Type.Optional(Type.String()),
      code: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
);

/** A stored event as a client received it. */
export interface RecordedEvent {
  readonly seq: number;
  readonly dbEventId: number;
  readonly type: string;
  /** When it was received, in milliseconds since the Unix epoch. */
  readonly at: number;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * A client that follows the protocol: it reconnects, subscribes with the last seq it received, and records every event,
 * including repeated and misplaced ones.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #url: () => string;
  readonly #beyondEnd: boolean;
  readonly #closing = new AbortController();
  readonly #received = new Map<string, RecordedEvent[]>();
  readonly #done: Promise<void>;
  #socket: WebSocket | undefined;
  /** The number of connections opened so far. */
  connections = 0;
  /** The error messages of the notifier. */
  readonly errors: string[] = [];

  /**
   * `url` names the notifier to connect to, for each connection. `beyondEnd`: it follows sessions also after their end, as
   * a client does that asks about them.
   */
  constructor(url: () => string, { beyondEnd = false }: { readonly beyondEnd?: boolean } = {}) {
    this.#url = url;
    this.#beyondEnd = beyondEnd;
    this.#done = this.#stayConnected();
  }

  /** Follows a session from its first event. */
  follow(sessionId: string): void {
    this.#received.set(sessionId, []);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#subscribe(this.#socket, sessionId);
  }

  /** The events of each followed session, in the order of arrival. */
  get received(): ReadonlyMap<string, readonly RecordedEvent[]> {
    return this.#received;
  }

  /** Waits until the terminal event of every followed session has arrived. */
  async untilEnded(timeoutMs = 60_000): Promise<void> {
    await until(
      "every watched session's end has been received",
      () => [...this.#received.values()].every(hasEnded),
      timeoutMs,
    );
  }

  /** Waits until as many events have arrived of each followed session as `counts` names, by session id. */
  async untilReceived(counts: ReadonlyMap<string, number>, timeoutMs = 60_000): Promise<void> {
    await until(
      "every event of the watched sessions has been received",
      () => [...this.#received].every(([id, events]) => events.length >= (counts.get(id) ?? 0)),
      timeoutMs,
    );
  }

  async #stayConnected(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const wasOpen = await this.#connectOnce();
      pauseMs = wasOpen ? FIRST_RETRY_MS : Math.min(2 * pauseMs, LAST_RETRY_MS);
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #connectOnce(): Promise<boolean> {
    let wasOpen = false;
    const socket = new WebSocket(this.#url(), { handshakeTimeout: 5_000 });
    this.#socket = socket;
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    socket.on("error", () => undefined); // followed by close
    socket.on("open", () => {
      wasOpen = true;
      this.connections += 1;
      // A connection has a limited number of channels; those of ended sessions have nothing more to say.
      for (const [sessionId, events] of this.#received) {
        if (this.#beyondEnd || !hasEnded(events)) this.#subscribe(socket, sessionId);
      }
    });
    socket.on("message", (data: Buffer) => this.#record(data, socket));
    await closed;
    return wasOpen;
  }

  #subscribe(socket: WebSocket, sessionId: string): void {
    const { seq: after_seq = 0, dbEventId: last_event_id } = this.#received.get(sessionId)?.at(-1) ?? {};
    const channel = `session:${sessionId}`;
    socket.send(JSON.stringify({ action: "subscribe", channel, after_seq, last_event_id }));
  }

  #record(data: Buffer, socket: WebSocket): void {
    const parsed = parseMessage(JSON.parse(data.toString("utf8")));
    const { type, session_id, seq, db_event_id, message, channel, code } = parsed;
    if (type === "error") {
      // It reads the session anew.
      if (code === "events_lost") this.#received.set(channel?.slice("session:".length) ?? "", []);
      this.errors.push(message ?? "");
      // The protocol asks the client to reconnect and subscribe again.
      setTimeout(() => socket.close(), FIRST_RETRY_MS);
    }
    if (session_id === undefined || seq === undefined || db_event_id === undefined) return;
    this.#received.get(session_id)?.push({ seq, dbEventId: db_event_id, type, at: Date.now() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#socket?.terminate();
    await this.#done;
  }
}

function hasEnded(events: readonly RecordedEvent[]): boolean {
  return events.some(({ type }) => type === "session.completed");
}
