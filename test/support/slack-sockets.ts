import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { Type } from "typebox";
import { WebSocket, WebSocketServer } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseAck = compileParser(
  "ack",
  Type.Object({ envelope_id: Type.String(), payload: Type.Optional(Type.Unknown()) }),
);

/** What is sent in envelopes until one of them is acknowledged. */
interface Delivery {
  readonly type: "events_api" | "interactive";
  readonly payload: object;
  attempts: number;
  isAcked: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface Ack {
  readonly payload: object;
  readonly atMs: number;
}

/** What Slack or the network does instead of what they usually do. */
interface SocketFaults {
  /** Each envelope is sent once more, in an envelope of its own. */
  duplicates: boolean;
  /** So many acks from now on are not received. */
  lostAcks: number;
  /** The envelopes of the next so many deliveries are held back and sent in the reverse order. */
  reordered: number;
  pings: boolean;
  /** Of `approximate_connection_time`, in seconds. */
  connectionSeconds: number;
}

const MAX_ATTEMPTS = 4;

/**
 * The Socket Mode of the fake Slack: tickets that let one connection in, hello, pings, envelopes at random to one of the connections, and again until they
 * are acknowledged (https://docs.slack.dev/apis/events-api/using-socket-mode).
 */
export class SlackSockets {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #envelopes = new Map<string, Delivery>();
  readonly #waiting: Delivery[] = [];
  readonly #held: Delivery[] = [];
  readonly #pings: NodeJS.Timeout;
  readonly #ackMs: number;
  readonly #random: () => number;
  readonly open: WebSocket[] = [];
  readonly acks: Ack[] = [];
  readonly faults: SocketFaults = {
    duplicates: false,
    lostAcks: 0,
    reordered: 0,
    pings: true,
    connectionSeconds: 18_060,
  };
  /** When each connection was let in. */
  readonly openedAtMs: number[] = [];
  /** The most that were open at a time. */
  mostOpen = 0;
  /** Is called with each payload that is acknowledged, when that arrives. */
  onAck: ((payload: object) => void) | undefined;

  constructor(server: Server, { ackMs = 3_000, pingMs = 1_000, random = Math.random } = {}) {
    this.#ackMs = ackMs;
    this.#random = random;
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    this.#pings = setInterval(() => {
      if (this.faults.pings) for (const one of this.open) one.ping("ping");
    }, pingMs);
    this.#pings.unref();
  }

  /** Connections that were let in. */
  get connected(): number {
    return this.openedAtMs.length;
  }

  /** The address for one connection. */
  ticket(port: number): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(ticket);
    return `ws://127.0.0.1:${port}/link/?ticket=${ticket}&app_id=A0FAKE`;
  }

  /** Sends something that happened. */
  deliver(type: Delivery["type"], payload: object): void {
    const delivery = { type, payload, attempts: 0, isAcked: false, timer: undefined };
    if (this.faults.reordered > 0) {
      this.faults.reordered -= 1;
      this.#held.push(delivery);
      if (this.faults.reordered > 0) return;
      for (const held of this.#held.splice(0).toReversed()) this.#send(held);
      return;
    }
    this.#send(delivery);
    if (this.faults.duplicates) this.#send(delivery);
  }

  /** Asks the clients to connect anew; the connections stay for a while, as Slack's do. */
  recycle(reason = "refresh_requested"): void {
    for (const one of this.open) {
      one.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "fake" } }));
    }
  }

  /** The network breaks. */
  cut(): void {
    for (const one of this.open) one.terminate();
  }

  dispose(): void {
    clearInterval(this.#pings);
    for (const { timer } of this.#envelopes.values()) clearTimeout(timer);
    for (const one of this.open) one.terminate();
    this.#server.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "ws://127.0.0.1").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client));
  }

  #accept(client: WebSocket): void {
    this.open.push(client);
    this.openedAtMs.push(Date.now());
    this.mostOpen = Math.max(this.mostOpen, this.open.length);
    client.on("close", () => this.open.splice(this.open.indexOf(client), 1));
    client.on("error", () => client.terminate());
    client.on("message", (data) =>
      this.#acknowledged(JSON.parse(Buffer.isBuffer(data) ? data.toString("utf8") : "")),
    );
    client.send(
      JSON.stringify({
        type: "hello",
        num_connections: this.open.length,
        debug_info: {
          host: "fake",
          build_number: 1,
          approximate_connection_time: this.faults.connectionSeconds,
        },
        connection_info: { app_id: "A0FAKE" },
      }),
    );
    for (const delivery of this.#waiting.splice(0)) this.#send(delivery);
  }

  #send(delivery: Delivery): void {
    if (delivery.isAcked) return;
    const ready = this.open.filter(({ readyState }) => readyState === WebSocket.OPEN);
    const client = ready[Math.floor(this.#random() * ready.length)];
    if (client === undefined) {
      this.#waiting.push(delivery);
      return;
    }
    const envelope_id = randomUUID();
    this.#envelopes.set(envelope_id, delivery);
    const { type, payload, attempts } = delivery;
    const retry =
      type === "events_api" ? { retry_attempt: attempts, retry_reason: attempts === 0 ? "" : "timeout" } : {};
    client.send(
      JSON.stringify({
        envelope_id,
        type,
        payload,
        accepts_response_payload: type === "interactive",
        ...retry,
      }),
    );
    delivery.attempts += 1;
    // A press of a button is not sent again.
    if (type === "interactive" || delivery.attempts >= MAX_ATTEMPTS) return;
    clearTimeout(delivery.timer);
    delivery.timer = setTimeout(() => this.#send(delivery), this.#ackMs);
    delivery.timer.unref();
  }

  #acknowledged(frame: unknown): void {
    const { envelope_id } = parseAck(frame);
    const delivery = this.#envelopes.get(envelope_id);
    if (delivery === undefined) throw new Error(`an ack of no envelope: ${envelope_id}`);
    if (this.faults.lostAcks > 0) {
      this.faults.lostAcks -= 1;
      return;
    }
    delivery.isAcked = true;
    clearTimeout(delivery.timer);
    this.acks.push({ payload: delivery.payload, atMs: Date.now() });
    this.onAck?.(delivery.payload);
  }
}
