import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";

const parseRequest = compileParser(
  "message of a page",
  Type.Object(
    {
      action: Type.String(),
      channel: Type.Optional(Type.String()),
      after_seq: Type.Optional(Type.Integer()),
    },
    { additionalProperties: true },
  ),
);

const TICK_MS = 10;
const LINE = 12;

interface StormOptions {
  readonly agents: number;
  readonly chunksPerSecond: number;
}

/** The notifier's side of `/ws` for one page: a stage of agents whose models write without a pause, each chunk a message of its own. */
export class FakeNotifier implements AsyncDisposable {
  readonly #server: WebSocketServer;
  readonly #options: StormOptions;
  readonly #events: string[] = [];
  #page: { readonly socket: WebSocket; readonly sessionId: string } | undefined;
  #sent = 0;
  #units = 0;

  private constructor(server: WebSocketServer, options: StormOptions) {
    this.#server = server;
    this.#options = options;
  }

  static async start(options: StormOptions): Promise<FakeNotifier> {
    const server = new WebSocketServer({
      host: "127.0.0.1",
      port: 0,
      handleProtocols: ([first]) => first ?? false,
    });
    const notifier = new FakeNotifier(server, options);
    await new Promise((resolve) => server.once("listening", resolve));
    server.on("connection", (socket) => {
      socket.on("message", (data: Buffer) => notifier.#answer(socket, data.toString()));
    });
    return notifier;
  }

  /** What `NOTIFIER_ADDR` is set to. */
  get address(): string {
    const { port }: Pick<AddressInfo, "port"> = addressOf(this.#server);
    return `127.0.0.1:${port}`;
  }

  /** Sends chunks for so long, at the given rate whatever the page does with them; resolves with the length of their text. */
  async storm(ms: number): Promise<number> {
    const { chunksPerSecond, agents } = this.#options;
    [this.#sent, this.#units] = [0, 0];
    const began = performance.now();
    const offsets = Array.from({ length: agents }, () => 0);
    const { promise, resolve } = Promise.withResolvers<number>();
    const timer = setInterval(() => {
      const elapsed = performance.now() - began;
      const due = Math.min(elapsed, ms) * (chunksPerSecond / 1_000);
      for (; this.#sent < due; this.#sent += 1) this.#sendChunk(offsets);
      if (elapsed < ms) return;
      clearInterval(timer);
      resolve(this.#units);
    }, TICK_MS);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #sendChunk(offsets: number[]): void {
    const agent = this.#sent % offsets.length;
    const offset = offsets[agent] ?? 0;
    const delta = (this.#sent / offsets.length) % LINE < 1 ? "restart\n" : "memory ";
    offsets[agent] = offset + delta.length;
    this.#units += delta.length;
    this.#send({ type: "stream.chunk", event_id: this.#events[agent], attempt: 1, offset, delta });
  }

  #send(message: object): void {
    const { socket, sessionId } = this.#page ?? {};
    socket?.send(JSON.stringify({ session_id: sessionId, timestamp: new Date().toISOString(), ...message }));
  }

  #answer(socket: WebSocket, text: string): void {
    const { action, channel = "", after_seq = 0 } = parseRequest(JSON.parse(text));
    if (action === "ping") socket.send(JSON.stringify({ type: "pong" }));
    if (action !== "subscribe" || !channel.startsWith("session:")) return;
    this.#page = { socket, sessionId: channel.slice("session:".length) };
    this.#send({ type: "subscription.confirmed", channel });
    for (const [position, event] of this.#firstEvents(this.#page.sessionId).entries()) {
      this.#send({ ...event, seq: after_seq + 1 + position });
    }
  }

  /** A stage whose agents have begun to write. */
  #firstEvents(session_id: string): readonly SessionEventPayload[] {
    const { agents } = this.#options;
    const timestamp = new Date().toISOString();
    const base = { session_id, stage_id: randomUUID(), stage_name: "storm", timestamp };
    const executions = Array.from({ length: agents }, () => randomUUID());
    this.#events.splice(0, Infinity, ...executions.map(() => randomUUID()));
    return [
      {
        ...base,
        type: "stage.started",
        stage_index: 9,
        stage_type: "investigation",
        status: "active",
        expected_agent_count: agents,
      },
      ...executions.flatMap((execution_id, index): SessionEventPayload[] => [
        {
          ...base,
          type: "execution.status",
          execution_id,
          agent_name: `Agent-${index + 1}`,
          agent_index: index + 1,
          status: "active",
        },
        {
          ...base,
          type: "timeline_event.created",
          event_id: this.#events[index] ?? "",
          execution_id,
          event_type: "llm_thinking",
          status: "streaming",
          content: "",
          metadata: null,
          sequence_number: 1,
        },
      ]),
    ];
  }
}

function addressOf(server: WebSocketServer): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("the server does not listen on a port");
  }
  return address;
}
