import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";

type Message = Readonly<Record<string, unknown>>;

/** An entry of the timeline as the page of such a client draws it. */
interface DrawnEntry {
  readonly type: string;
  status: string;
  content: string;
  metadata: Readonly<Record<string, unknown>>;
  isOpen: boolean;
}

/**
 * A client of the contract that follows one session: it appends deltas blindly to what is open, merges metadata, ignores
 * entries that it knows, and on a reconnect subscribes and asks for what follows the last cursor it saw.
 */
export class ContractClient implements Disposable {
  readonly entries = new Map<string, DrawnEntry>();
  /** The last status of each stage, by its number. */
  readonly stages = new Map<number, string>();
  readonly messages: Message[] = [];
  status = "";
  connects = 0;
  /** How often a subscription was confirmed. */
  subscribed = 0;
  /** Reloads that the server made it do. */
  overflows = 0;
  readonly #url: string;
  readonly #channel: string;
  readonly #checks = new Set<() => void>();
  #socket: WebSocket | undefined;
  #lastEventId: number | undefined;
  #isOver = false;

  constructor(url: string, sessionId: string) {
    this.#url = url;
    this.#channel = `session:${sessionId}`;
    void this.#stayConnected();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }

  /** Waits until the condition holds. Checks it after each message. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (condition()) resolve();
    };
    this.#checks.add(check);
    await promise;
    this.#checks.delete(check);
  }

  /** Never rejects. */
  async #stayConnected(): Promise<void> {
    while (!this.#isOver) {
      await this.#connection();
      await wait(5);
    }
  }

  async #connection(): Promise<void> {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("open", () => {
      this.connects += 1;
      const send = (message: object) => socket.send(JSON.stringify(message));
      send({ action: "ping" });
      send({ action: "subscribe", channel: this.#channel });
      if (this.#lastEventId === undefined) return;
      send({ action: "catchup", channel: this.#channel, last_event_id: this.#lastEventId });
    });
    socket.on("message", (data) => {
      const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString() : "");
      if (typeof message === "object" && message !== null) this.#receive({ ...message });
      for (const check of this.#checks) check();
    });
    await new Promise((resolve) => socket.on("close", resolve));
  }

  #receive(message: Message): void {
    this.messages.push(message);
    if (typeof message["db_event_id"] === "number") this.#lastEventId = message["db_event_id"];
    const id = String(message["event_id"]);
    const entry = this.entries.get(id);
    switch (message["type"]) {
      case "timeline_event.created":
        if (entry !== undefined) return;
        this.entries.set(id, {
          type: String(message["event_type"]),
          status: String(message["status"]),
          content: String(message["content"]),
          metadata: { ...objectOf(message["metadata"]) },
          isOpen: message["status"] === "streaming",
        });
        return;
      case "stream.chunk":
        if (entry?.isOpen === true) entry.content += String(message["delta"]);
        return;
      case "timeline_event.completed":
        if (entry === undefined) return;
        entry.isOpen = false;
        entry.status = String(message["status"]);
        entry.content = String(message["content"]);
        entry.metadata = { ...entry.metadata, ...objectOf(message["metadata"]) };
        return;
      case "stage.status":
        this.stages.set(Number(message["stage_index"]), String(message["status"]));
        return;
      case "session.status":
        this.status = String(message["status"]);
        return;
      case "subscription.confirmed":
        this.subscribed += 1;
        return;
      case "catchup.overflow":
        this.overflows += 1;
        return;
      default:
        return;
    }
  }
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
