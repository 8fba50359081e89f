import { randomUUID } from "node:crypto";
import type { RawData, WebSocket } from "ws";
import type { Door } from "#shared/access/door.ts";
import type { Identity } from "#shared/access/identity.ts";
import { untilInactive } from "#shared/access/until-inactive.ts";
import { EVENTS_LOST, EVENTS_PURGED } from "#shared/database/events-purged.ts";
import { RetryableError, TerminalError, coerceError, errorMessage } from "#shared/errors.ts";
import { replayInDialect } from "../dialect/replay-in-dialect.ts";
import type { NotifierLimits } from "../limits.ts";
import { CLOSE_CODES, type ResumableClose } from "../outbox/close-codes.ts";
import { ClientOutbox, type ClientSocket } from "../outbox/client-outbox.ts";
import {
  ClientSubscriptions,
  type Channel,
  type SubscriptionContext,
} from "../subscriptions/client-subscriptions.ts";
import { replayHistory } from "../subscriptions/replay-history.ts";
import { parseClientMessage } from "./parse-client-message.ts";

const MAX_PENDING_CATCHUPS = 10;

/** A connected client. */
export interface Client extends ClientSocket {
  readonly identity: Identity;
}

/** The parts of the notifier that a connection needs. */
export interface ConnectionContext extends SubscriptionContext {
  readonly door: Door;
}

/** One client from handshake to close: dispatches its messages, limits their rate and checks that it is alive. */
export class ClientConnection {
  readonly id = randomUUID();
  readonly outbox: ClientOutbox;
  /** Settles when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #identity: Identity;
  readonly #dialect: boolean;
  readonly #context: ConnectionContext;
  readonly #subscriptions: ClientSubscriptions;
  readonly #closing = new AbortController();
  readonly #takeToken: () => boolean;
  readonly #floodGraceMs: number;
  #alive = true;
  #unansweredPings = 0;
  #writesAtLastHeartbeat = 0;
  #catchups = 0;
  #lastCatchup: Promise<void> = Promise.resolve();

  constructor(client: Client, context: ConnectionContext, limits: NotifierLimits) {
    const { socket, identity, dialect } = client;
    this.#identity = identity;
    this.#dialect = dialect;
    this.#socket = socket;
    this.#context = context;
    this.outbox = new ClientOutbox(client, limits, context.metrics);
    this.#floodGraceMs = limits.floodGraceMs;
    this.#takeToken = tokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messageBurst });
    this.#subscriptions = new ClientSubscriptions({
      context,
      outbox: this.outbox,
      identity,
      maxSubscriptions: limits.maxSubscriptions,
      dialect,
      report: (error, channel) => this.#report(error, channel, "subscription"),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", () => this.#admit());
    socket.on("pong", () => this.#receivePong());
    // A protocol error of the peer: `ws` closes the socket with the matching code.
    socket.on("error", (error) => context.log.debug({ error: errorMessage(error) }, "client socket failed"));
    socket.on("close", () => {
      this.#release();
      resolve();
    });
    this.outbox.control({ type: "connection.established", connection_id: this.id });
    void this.#closeWithCredential();
  }

  /** Called every `heartbeatMs`: disconnects a peer that has not been alive since the last call, else pings it. */
  heartbeat(): void {
    const { writesDone, bufferedBytes, hasRoomForChunks } = this.outbox;
    // The ping is queued after data a slow client has not read yet, so reading that data counts as alive too.
    const reads = bufferedBytes > 0 && writesDone > this.#writesAtLastHeartbeat;
    this.#writesAtLastHeartbeat = writesDone;
    if (!this.#alive && !reads) {
      if (hasRoomForChunks) this.#socket.terminate();
      else this.outbox.closeAsTooSlow();
      return;
    }
    this.#alive = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#unansweredPings += 1;
    this.#socket.ping();
  }

  /** Never rejects. */
  async #closeWithCredential(): Promise<void> {
    const { door, log } = this.#context;
    const { signal } = this.#closing;
    try {
      await untilInactive(door, this.#identity, signal);
      if (!signal.aborted) this.closeResumably("unauthenticated");
    } catch (error) {
      if (signal.aborted) return;
      log.error({ error: errorMessage(error) }, "credential of a client not checked: closing its socket");
      this.closeResumably("unauthenticated");
    }
  }

  /** Ends the subscriptions and closes the socket, as the outbox does. */
  closeResumably(cause: ResumableClose, graceMs?: number): void {
    this.#release();
    this.outbox.closeResumably(cause, graceMs);
  }

  #release(): void {
    this.#closing.abort(new TerminalError("closed", "the connection is closed"));
    this.#subscriptions.close();
  }

  /** False once the connection is closing; closes it with 1008 if the client exceeds the message rate. */
  #admit(): boolean {
    this.#alive = true;
    if (this.#closing.signal.aborted) return false;
    if (this.#takeToken()) return true;
    this.#release();
    const reason = "too many messages: send at most 20 a second";
    this.outbox.close(CLOSE_CODES.policyViolation, reason, this.#floodGraceMs);
    return false;
  }

  /** An answer to a ping of ours is free, however late it comes; any other pong counts as a message. */
  #receivePong(): void {
    if (this.#unansweredPings === 0) return void this.#admit();
    this.#unansweredPings -= 1;
    this.#alive = true;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#admit()) return;
    try {
      if (isBinary) throw new TerminalError("bad_message", "the message is binary: send JSON as text");
      this.#dispatch(decodeText(data));
    } catch (error) {
      this.#report(coerceError(error));
    }
  }

  #dispatch(text: string): void {
    const message = parseClientMessage(text);
    switch (message.action) {
      case "ping":
        return this.outbox.control({ type: "pong" });
      case "subscribe":
        if (this.#dialect && message.cursor !== undefined) throw noCursor();
        return this.#subscriptions.subscribe(message.channel, message.cursor);
      case "unsubscribe":
        return this.#subscriptions.unsubscribe(message.channel);
      case "catchup":
        return this.#catchUp(message.channel, message.lastEventId);
    }
  }

  #catchUp(channel: Channel, lastEventId: number): void {
    // The `sessions` channel has no stored history.
    if (channel.target.kind === "sessions") return;
    if (this.#dialect && this.#subscriptions.catchUp(channel, lastEventId)) return;
    if (this.#catchups >= MAX_PENDING_CATCHUPS) {
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
    await this.#context.visible.check(this.#identity, sessionId, signal);
    const request = { sessionId, lastEventId, outbox: this.outbox, signal };
    const replay = this.#dialect ? replayInDialect : replayHistory;
    const { hasMore } = await replay(this.#context, request);
    if (hasMore) {
      this.outbox.control({ type: "catchup.overflow", channel: channel.name, has_more: true });
    }
  }

  #report(error: Error, channel?: string, of: "subscription" | "request" = "request"): void {
    if (this.#closing.signal.aborted) return;
    const isExpected = error instanceof TerminalError || error instanceof RetryableError;
    if (!isExpected) this.#context.log.warn({ error: errorMessage(error) }, "client request failed");
    const message = isExpected ? error.message : "the request could not be answered: try again in a moment";
    if (this.#dialect && of === "subscription" && channel !== undefined) {
      return this.outbox.control({ type: "subscription.error", channel, message });
    }
    const code = isExpected ? [EVENTS_PURGED, EVENTS_LOST].find((known) => known === error.code) : undefined;
    this.outbox.control({
      type: "error",
      message,
      ...(channel === undefined ? {} : { channel }),
      ...(code === undefined ? {} : { code }),
    });
  }
}

function noCursor(): TerminalError {
  return new TerminalError(
    "bad_message",
    "subscribe takes no cursor here: send catchup with last_event_id behind it, or connect to /ws",
  );
}

function decodeText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}

/** Returns a function that takes one token and returns true, or returns false if none is left. */
function tokenBucket({
  perSecond,
  burst,
}: {
  readonly perSecond: number;
  readonly burst: number;
}): () => boolean {
  let tokens = burst;
  let refilledAt = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
