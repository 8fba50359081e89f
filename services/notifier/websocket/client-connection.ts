import { randomUUID } from "node:crypto";
import type { RawData, WebSocket } from "ws";
import { RetryableError, TerminalError, coerceError, errorMessage } from "#shared/errors.ts";
import { ClientOutbox, type ClientSocket } from "../outbox/client-outbox.ts";
import { ClientSubscriptions, type SubscriptionContext } from "../subscriptions/client-subscriptions.ts";
import type { NotifierLimits } from "../limits.ts";
import { parseClientMessage, type Channel } from "./parse-client-message.ts";
import { replayStored } from "../subscriptions/session-history.ts";
import { tokenBucket } from "./token-bucket.ts";

const POLICY_VIOLATION = 1008;
const MAX_WAITING_CATCHUPS = 10;

/** One client from its handshake to its close: what it asks for, what it gets, and whether it is still there. */
export class ClientConnection {
  readonly id = randomUUID();
  readonly outbox: ClientOutbox;
  /** Settles when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #context: SubscriptionContext;
  readonly #subscriptions: ClientSubscriptions;
  readonly #closing = new AbortController();
  readonly #mayAct: () => boolean;
  readonly #floodGraceMs: number;
  #alive = true;
  #writesAtLastBeat = 0;
  #catchups = 0;
  #lastCatchup: Promise<void> = Promise.resolve();

  constructor(client: ClientSocket, context: SubscriptionContext, limits: NotifierLimits) {
    const { socket } = client;
    this.#socket = socket;
    this.#context = context;
    this.outbox = new ClientOutbox(client, limits, context.metrics);
    this.#floodGraceMs = limits.floodGraceMs;
    this.#mayAct = tokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messageBurst });
    this.#subscriptions = new ClientSubscriptions({
      context,
      outbox: this.outbox,
      maxSubscriptions: limits.maxSubscriptions,
      report: (error, channel) => this.#report(error, channel),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", () => this.#admit());
    socket.on("pong", () => (this.#alive = true));
    // What the peer did wrong; ws closes the socket with the fitting code by itself.
    socket.on("error", (error) => context.log.debug({ error: errorMessage(error) }, "client socket failed"));
    socket.on("close", () => {
      this.#release();
      resolve();
    });
    this.outbox.control({ type: "connection.established", connection_id: this.id });
  }

  /** Called in a steady rhythm: a peer that showed no sign of life since the last time is cut off. */
  beat(): void {
    const { writesDone, bufferedBytes, hasRoomForChunks } = this.outbox;
    // Our ping waits behind what a slow client has not read yet: that it reads on is a sign of life as well.
    const reads = bufferedBytes > 0 && writesDone > this.#writesAtLastBeat;
    this.#writesAtLastBeat = writesDone;
    if (!this.#alive && !reads) return hasRoomForChunks ? this.#socket.terminate() : this.outbox.cutOff();
    this.#alive = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  close(code: number, reason: string, graceMs?: number): void {
    this.#release();
    this.outbox.close(code, reason, graceMs);
  }

  #release(): void {
    this.#closing.abort(new TerminalError("closed", "the connection is closed"));
    this.#subscriptions.close();
  }

  /** False once the client has been sent away for asking too often. */
  #admit(): boolean {
    this.#alive = true;
    if (this.#closing.signal.aborted) return false;
    if (this.#mayAct()) return true;
    this.close(POLICY_VIOLATION, "too many messages: send at most 20 a second", this.#floodGraceMs);
    return false;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#admit()) return;
    try {
      if (isBinary) throw new TerminalError("bad_message", "the message is binary: send JSON as text");
      this.#act(textOf(data));
    } catch (error) {
      this.#report(coerceError(error));
    }
  }

  #act(text: string): void {
    const message = parseClientMessage(text);
    switch (message.action) {
      case "ping":
        return this.outbox.control({ type: "pong" });
      case "subscribe":
        return this.#subscriptions.subscribe(message.channel, message.cursor);
      case "unsubscribe":
        return this.#subscriptions.unsubscribe(message.channel);
      case "catchup":
        return this.#catchUp(message.channel, message.lastEventId);
    }
  }

  #catchUp(channel: Channel, lastEventId: number): void {
    // The feed of all sessions is not stored.
    if (channel.target.kind === "sessions") return;
    if (this.#catchups >= MAX_WAITING_CATCHUPS) {
      throw new TerminalError(
        "too_many_catchups",
        "too many catchups are waiting: await one before the next",
      );
    }
    const { sessionId } = channel.target;
    this.#catchups += 1;
    this.#lastCatchup = this.#lastCatchup
      .then(() => this.#replay(channel, sessionId, lastEventId))
      .catch((error: unknown) => this.#report(coerceError(error), channel.name))
      .finally(() => (this.#catchups -= 1));
  }

  async #replay(channel: Channel, sessionId: string, lastEventId: number): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const { db } = this.#context;
    const { hasMore } = await replayStored({ db, outbox: this.outbox, sessionId, lastEventId, signal });
    if (hasMore) {
      this.outbox.control({ type: "catchup.overflow", channel: channel.name, has_more: true });
    }
  }

  #report(error: Error, channel?: string): void {
    if (this.#closing.signal.aborted) return;
    const ours = error instanceof TerminalError || error instanceof RetryableError;
    if (!ours) this.#context.log.warn({ error: errorMessage(error) }, "client request failed");
    const message = ours ? error.message : "the request could not be answered: try again in a moment";
    this.outbox.control({ type: "error", message, ...(channel === undefined ? {} : { channel }) });
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}
