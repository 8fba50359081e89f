import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Posted = Type.Object({
  channel: Type.String(),
  text: Type.String(),
  thread_ts: Type.Optional(Type.String()),
  blocks: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  metadata: Type.Optional(
    Type.Object({ event_type: Type.String(), event_payload: Type.Record(Type.String(), Type.Unknown()) }),
  ),
});
const parsePosted = compileParser("message for Slack", Posted);

/** A message as the fake keeps it. */
type SlackServerMessage = Static<typeof Posted> & {
  readonly ts: string;
  readonly attachments?: readonly { readonly text?: string; readonly fallback?: string }[];
};

/** What the fake does with a call instead of what Slack usually does. */
type Disturbance =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: "error"; readonly error: string }
  /** Does what was asked, and closes the connection without an answer. */
  | { readonly kind: "cut" }
  /** Does what was asked, and never answers. */
  | { readonly kind: "hang" };

const TOKEN = "xoxb-fake-token";

/** A fake of the methods of Slack's web API that notifications use, on a free port of 127.0.0.1. */
export class SlackServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) =>
      response.destroy(new Error("the fake Slack failed", { cause: error })),
    );
  });
  readonly #disturbances: Disturbance[] = [];
  #lastTs = 0;
  /** The methods that were called, in order. */
  readonly calls: { readonly method: string; readonly atMs: number }[] = [];
  readonly messages: SlackServerMessage[] = [];
  readonly token = TOKEN;
  /** While true every call is answered with status 503. */
  isAway = false;
  url = "";

  static async open(): Promise<SlackServer> {
    const slack = new SlackServer();
    slack.#server.listen(0, "127.0.0.1");
    await once(slack.#server, "listening");
    slack.url = `http://127.0.0.1:${portOf(slack.#server.address())}/api`;
    return slack;
  }

  /** The calls of `chat.postMessage` from now on are disturbed like this, one each. */
  disturb(...disturbances: readonly Disturbance[]): void {
    this.#disturbances.push(...disturbances);
  }

  /** Adds a message of someone else; resolves with its `ts`. */
  say(
    channel: string,
    text: string,
    more: { readonly ageMs?: number; readonly attachments?: SlackServerMessage["attachments"] } = {},
  ): string {
    const ts = this.#nextTs(Date.now() - (more.ageMs ?? 0));
    this.messages.push({
      channel,
      text,
      ts,
      ...(more.attachments === undefined ? {} : { attachments: more.attachments }),
    });
    return ts;
  }

  /** The messages that were posted by a client, in order. */
  posted(): readonly SlackServerMessage[] {
    return this.messages.filter(({ metadata }) => metadata !== undefined);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? "").replace(/^\/api\//u, "");
    const body = await readText(request);
    this.calls.push({ method, atMs: Date.now() });
    if (this.isAway) return send(response, {}, 503);
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return send(response, { ok: false, error: "invalid_auth" });
    }
    if (method === "chat.postMessage") return this.#post(body, response);
    const given = new URLSearchParams(body);
    if (method === "conversations.history" || method === "conversations.replies") {
      return send(response, this.#page(method, given));
    }
    return send(response, { ok: false, error: "unknown_method" });
  }

  #post(body: string, response: ServerResponse): void {
    const disturbance = this.#disturbances.shift();
    if (disturbance?.kind === "status") return send(response, {}, disturbance.status, disturbance.headers);
    if (disturbance?.kind === "error") return send(response, { ok: false, error: disturbance.error });
    const message = { ...parsePosted(JSON.parse(body)), ts: this.#nextTs(Date.now()) };
    this.messages.push(message);
    if (disturbance?.kind === "cut") return void response.destroy();
    if (disturbance?.kind === "hang") return;
    send(response, { ok: true, channel: message.channel, ts: message.ts, message });
  }

  /** As Slack: replies are not part of a channel's history, which is newest first; a thread is oldest first. */
  #page(method: string, given: URLSearchParams): object {
    const [channel, oldest, limit] = [
      given.get("channel"),
      Number(given.get("oldest") ?? 0),
      Number(given.get("limit") ?? 100),
    ];
    const isHistory = method === "conversations.history";
    const found = this.messages.filter(
      (message) =>
        message.channel === channel &&
        Number(message.ts) > oldest &&
        (isHistory
          ? message.thread_ts === undefined
          : [message.thread_ts, message.ts].includes(given.get("ts") ?? "")),
    );
    const ordered = found.toSorted((a, b) =>
      isHistory ? Number(b.ts) - Number(a.ts) : Number(a.ts) - Number(b.ts),
    );
    const from = Number(given.get("cursor") ?? 0);
    const page = ordered.slice(from, from + limit);
    const hasMore = from + limit < ordered.length;
    const withMetadata = given.get("include_all_metadata") === "true";
    return {
      ok: true,
      messages: page.map(({ metadata, ...message }) => (withMetadata ? { ...message, metadata } : message)),
      has_more: hasMore,
      response_metadata: { next_cursor: hasMore ? String(from + limit) : "" },
    };
  }

  #nextTs(nowMs: number): string {
    const micros = nowMs * 1_000;
    if (micros < this.#lastTs - 1_000_000) return (micros / 1e6).toFixed(6);
    this.#lastTs = Math.max(micros, this.#lastTs + 1);
    return (this.#lastTs / 1e6).toFixed(6);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function send(
  response: ServerResponse,
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
