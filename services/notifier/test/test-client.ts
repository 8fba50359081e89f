import { once } from "node:events";
import { WebSocket, type ClientOptions } from "ws";

type ReceivedMessage = Readonly<Record<string, unknown>>;

const WAIT_LIMIT_MS = 120_000;

/** A WebSocket client that records the messages it receives and can wait for them. */
export class TestClient implements Disposable {
  readonly socket: WebSocket;
  readonly messages: ReceivedMessage[] = [];
  /** Close code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #checks = new Set<() => void>();

  private constructor(url: string, options: ClientOptions, protocols: readonly string[]) {
    this.socket = new WebSocket(url, [...protocols], options);
    this.socket.on("message", (data) => {
      const text = Buffer.isBuffer(data) ? data.toString() : "";
      const message: unknown = JSON.parse(text);
      if (typeof message === "object" && message !== null) this.messages.push({ ...message });
      for (const check of this.#checks) check();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** Connects. Rejects with the HTTP status if the handshake is rejected. */
  static async connect(
    url: string,
    options: ClientOptions = {},
    protocols: readonly string[] = [],
  ): Promise<TestClient> {
    const client = new TestClient(url, options, protocols);
    await once(client.socket, "open");
    client.socket.on("error", () => undefined);
    return client;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Subscribes and waits for the confirmation. */
  async subscribe(channel: string, cursor: Readonly<Record<string, unknown>> = {}): Promise<ReceivedMessage> {
    const confirmations = this.of("subscription.confirmed").length;
    this.send({ action: "subscribe", channel, ...cursor });
    await this.until(() => this.of("subscription.confirmed").length > confirmations);
    return this.of("subscription.confirmed").at(-1) ?? {};
  }

  /** Waits until the condition holds. Checks it after each message. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const got = this.messages.map((message) => JSON.stringify(message).slice(0, 160)).slice(-12);
        reject(new Error(`not within ${WAIT_LIMIT_MS} ms; last messages:\n${got.join("\n")}`));
      }, WAIT_LIMIT_MS);
      const check = () => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
    });
  }

  of(type: string): ReceivedMessage[] {
    return this.messages.filter((message) => message["type"] === type);
  }

  /** The `seq` of every stored event, in order of arrival. */
  get seqs(): unknown[] {
    return this.messages.map((message) => message["seq"]).filter((seq) => seq !== undefined);
  }

  async untilSeq(seq: number): Promise<void> {
    await this.until(() => this.seqs.includes(seq));
  }

  /** The text in the chunks of an event's highest attempt. Throws if there is a gap. */
  textOf(eventId: string): string {
    let attempt = 0;
    let text = "";
    for (const chunk of this.of("stream.chunk")) {
      if (chunk["event_id"] !== eventId) continue;
      if (Number(chunk["attempt"]) < attempt) throw new Error("a chunk of an earlier attempt");
      if (Number(chunk["attempt"]) > attempt) text = "";
      attempt = Number(chunk["attempt"]);
      if (chunk["offset"] !== text.length) {
        throw new Error(`a chunk at offset ${String(chunk["offset"])}, expected ${text.length}`);
      }
      text += String(chunk["delta"]);
    }
    return text;
  }
}
