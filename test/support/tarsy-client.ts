import { once } from "node:events";
import { Type, type Static } from "typebox";
import { WebSocket } from "ws";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SPARING_MS, until } from "./until.ts";

const Row = Type.Object({}, { additionalProperties: true });

const SessionView = Type.Object(
  {
    id: Type.String(),
    status: Type.String(),
    config_hash: Type.Optional(Type.String()),
    error_message: Type.Union([Type.String(), Type.Null()]),
    final_analysis: Type.Union([Type.String(), Type.Null()]),
    stages: Type.Array(
      Type.Object(
        {
          status: Type.String(),
          stage_name: Type.String(),
          executions: Type.Array(Type.Object({ status: Type.String() }, { additionalProperties: true })),
        },
        { additionalProperties: true },
      ),
    ),
    timeline: Type.Array(
      Type.Object(
        {
          event_id: Type.String(),
          event_type: Type.String(),
          status: Type.String(),
          content: Type.String(),
          metadata: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
);
export type SessionView = Static<typeof SessionView>;
const parseSession = compileParser("session", SessionView);
const parseAccepted = compileParser("accepted alert", Type.Object({ session_id: Type.String() }));

/** Any message received on a socket. */
export type WireMessage = Readonly<Record<string, unknown>>;
const parseRow = compileParser("json object", Row);

/** A client of a running system, over its public HTTP API and WebSocket. */
export class TarsyClient {
  readonly #api: string;
  readonly #ws: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #submitted: string[] = [];

  /** `headers` are sent with each request. */
  constructor({
    api,
    ws,
    headers = {},
  }: {
    readonly api: string;
    readonly ws: string;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    this.#api = api;
    this.#ws = ws;
    this.#headers = headers;
  }

  /** Sends any request; resolves with the status and the decoded body. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${this.#api}${path}`, {
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: { ...parseRow(await response.json()) } };
  }

  /** Submits an alert and returns its session's id; fails unless it was accepted. */
  async submit(data: string, fields: object = {}): Promise<string> {
    const { status, body } = await this.request("POST", "/api/v1/alerts", { data, ...fields });
    if (status !== 202) throw new Error(`alert not accepted: ${status} ${JSON.stringify(body)}`);
    const { session_id: id } = parseAccepted(body);
    this.#submitted.push(id);
    return id;
  }

  /** The sessions of the alerts that it has submitted. */
  get submitted(): readonly string[] {
    return this.#submitted;
  }

  /** Submits repeatedly until the api accepts it, which may still be reconnecting to a dependency. */
  async submitUntilAccepted(data: string): Promise<string> {
    return until("the alert is accepted", () => this.submit(data));
  }

  async session(id: string): Promise<SessionView> {
    return parseSession((await this.request("GET", `/api/v1/sessions/${id}`)).body);
  }

  /** Waits until the session has one of the statuses. */
  async waitFor(id: string, statuses: readonly string[], timeoutMs = 240_000): Promise<SessionView> {
    return until(
      `session ${id} is ${statuses.join(" or ")}`,
      async () => {
        const session = await this.session(id);
        return statuses.includes(session.status) && session;
      },
      timeoutMs,
      SPARING_MS,
    );
  }

  /** Opens a socket, subscribes to a session and collects all messages. Resolves once the subscription is confirmed. */
  async watch(id: string, fields: object = {}): Promise<SessionWatch> {
    const socket = new WebSocket(this.#ws, { headers: this.#headers });
    const watch = new SessionWatch(socket);
    await once(socket, "open");
    socket.send(JSON.stringify({ action: "subscribe", channel: `session:${id}`, ...fields }));
    await watch.next("subscription.confirmed");
    return watch;
  }
}

/** A socket and everything it received. */
export class SessionWatch implements Disposable {
  readonly #socket: WebSocket;
  readonly messages: WireMessage[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) =>
      this.messages.push({ ...parseRow(JSON.parse(data.toString("utf8"))) }),
    );
    // A test notices a broken socket by the missing messages.
    socket.on("error", () => undefined);
  }

  /** Waits for the first message of this type. */
  async next(type: string, timeoutMs = 240_000): Promise<WireMessage> {
    return until(
      `message ${type}`,
      () => this.messages.find((message) => message["type"] === type),
      timeoutMs,
    );
  }

  /** Waits until `probe` returns true. */
  async until(what: string, probe: () => boolean): Promise<void> {
    await until(what, probe);
  }

  /** The received stored events: all messages with a `seq`. */
  events(): WireMessage[] {
    return this.messages.filter((message) => typeof message["seq"] === "number");
  }

  /** The concatenated chunks of an event's newest attempt. */
  streamed(eventId: unknown): string {
    const chunks = this.messages.filter(
      (message) => message["type"] === "stream.chunk" && message["event_id"] === eventId,
    );
    const newest = Math.max(...chunks.map((chunk) => Number(chunk["attempt"])));
    const latest = chunks.filter((chunk) => chunk["attempt"] === newest);
    return latest.map((chunk) => String(chunk["delta"])).join("");
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
