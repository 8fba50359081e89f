import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { SlackSockets } from "./slack-sockets.ts";
import {
  SLACK_BOT,
  SLACK_TEAM,
  SlackWorkspace,
  type SlackMember,
  type SlackServerMessage,
} from "./slack-workspace.ts";

/** What the fake does with a call instead of what Slack usually does. */
export type Disturbance =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: "error"; readonly error: string }
  /** Does what was asked, and closes the connection without an answer. */
  | { readonly kind: "cut" }
  /** Does what was asked, and never answers. */
  | { readonly kind: "hang" };

const TOKEN = "xoxb-fake-token";
const APP_TOKEN = "xapp-fake-token";

/** A fake of Slack on a free port of 127.0.0.1: the methods of its web API that are used here, and Socket Mode. */
export class SlackServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) =>
      response.destroy(new Error("the fake Slack failed", { cause: error })),
    );
  });
  readonly #disturbances = new Map<string, Disturbance[]>();
  #port = 0;
  #lastEvent = 0;
  /** The methods that were called, in order. */
  readonly calls: { readonly method: string; readonly atMs: number; readonly channel: string | undefined }[] =
    [];
  readonly sockets: SlackSockets;
  readonly workspace = new SlackWorkspace(() => this.sockets.ticket(this.#port));
  readonly token = TOKEN;
  readonly appToken = APP_TOKEN;
  /** While true every call is answered with status 503. */
  isAway = false;
  url = "";

  private constructor(options: ConstructorParameters<typeof SlackSockets>[1]) {
    this.sockets = new SlackSockets(this.#server, options);
  }

  static async open(options: ConstructorParameters<typeof SlackSockets>[1] = {}): Promise<SlackServer> {
    const slack = new SlackServer(options);
    slack.#server.listen(0, "127.0.0.1");
    await once(slack.#server, "listening");
    slack.#port = portOf(slack.#server.address());
    slack.url = `http://127.0.0.1:${slack.#port}/api`;
    return slack;
  }

  get messages(): SlackServerMessage[] {
    return this.workspace.messages;
  }

  /** The calls of `chat.postMessage` from now on are disturbed like this, one each. */
  disturb(...disturbances: readonly Disturbance[]): void {
    this.disturbMethod("chat.postMessage", ...disturbances);
  }

  /** The same for another method. */
  disturbMethod(method: string, ...disturbances: readonly Disturbance[]): void {
    this.#disturbances.set(method, [...(this.#disturbances.get(method) ?? []), ...disturbances]);
  }

  /** Adds a person of the workspace. */
  join(id: string, email?: string, more: Partial<SlackMember> = {}): string {
    this.workspace.members.set(id, {
      id,
      team_id: SLACK_TEAM,
      profile: email === undefined ? {} : { email },
      ...more,
    });
    return id;
  }

  /** Adds a message of someone else; resolves with its `ts`. */
  say(
    channel: string,
    text: string,
    more: { readonly ageMs?: number } & Pick<
      Partial<SlackServerMessage>,
      "attachments" | "thread_ts" | "user"
    > = {},
  ): string {
    const { ageMs = 0, ...rest } = more;
    const ts = this.workspace.nextTs(Date.now() - ageMs);
    this.messages.push({ channel, text, ts, ...rest });
    return ts;
  }

  /** A person writes to the bot: there is a message, and Slack tells the app twice, as a mention and as a message. */
  mention(
    channel: string,
    user: string,
    text: string,
    { thread, isDelivered = true }: { readonly thread?: string; readonly isDelivered?: boolean } = {},
  ): string {
    const written = `<@${SLACK_BOT}> ${text}`;
    const ts = this.say(channel, written, { user, ...(thread === undefined ? {} : { thread_ts: thread }) });
    const event = {
      user,
      ts,
      text: written,
      channel,
      event_ts: ts,
      team: SLACK_TEAM,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    };
    if (isDelivered) {
      this.emit({ type: "app_mention", ...event });
      this.emit({ type: "message", channel_type: "channel", ...event });
    }
    return ts;
  }

  /** A person puts a reaction on a message of the app, or takes it back. */
  react(channel: string, user: string, reaction: string, ts: string, isRemoved = false): void {
    const type = isRemoved ? "reaction_removed" : "reaction_added";
    const event_ts = this.workspace.nextTs(Date.now());
    this.emit({
      type,
      user,
      reaction,
      item: { type: "message", channel, ts },
      item_user: SLACK_BOT,
      event_ts,
    });
  }

  /** A person presses a button of a message. */
  press(
    user: string,
    message: SlackServerMessage,
    pressed: { readonly action_id: string; readonly value: string },
  ): void {
    const { channel, ts, thread_ts } = message;
    this.sockets.deliver("interactive", {
      type: "block_actions",
      user: { id: user, username: "someone", team_id: SLACK_TEAM },
      api_app_id: "A0FAKE",
      team: { id: SLACK_TEAM, domain: "fake" },
      container: {
        type: "message",
        message_ts: ts,
        channel_id: channel,
        is_ephemeral: false,
        ...(thread_ts === undefined ? {} : { thread_ts }),
      },
      channel: { id: channel, name: "alerts" },
      message,
      actions: [{ ...pressed, block_id: "b", type: "button", action_ts: this.workspace.nextTs(Date.now()) }],
    });
  }

  /** Tells the app of an event. */
  emit(event: object): void {
    this.#lastEvent += 1;
    this.sockets.deliver("events_api", {
      token: "fake",
      team_id: SLACK_TEAM,
      api_app_id: "A0FAKE",
      event,
      type: "event_callback",
      event_id: `Ev${String(this.#lastEvent).padStart(8, "0")}`,
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [{ team_id: SLACK_TEAM, user_id: SLACK_BOT, is_bot: true }],
    });
  }

  /** The messages that were posted by a client, in order. */
  posted(): readonly SlackServerMessage[] {
    return this.messages.filter(({ metadata }) => metadata !== undefined);
  }

  /** The button of a message. */
  buttonOf(message: SlackServerMessage | undefined, actionId: string) {
    const found = /"action_id":"([^"]+)","value":"([^"]+)"/gu;
    for (const [, action_id = "", value = ""] of JSON.stringify(message?.blocks ?? []).matchAll(found)) {
      if (action_id === actionId) return { action_id, value };
    }
    throw new Error(`the message has no button ${actionId}: ${JSON.stringify(message)}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? "").replace(/^\/api\//u, "");
    const given = decoded(await readText(request), request.headers["content-type"] ?? "");
    const channel = given["channel"];
    this.calls.push({ method, atMs: Date.now(), channel: typeof channel === "string" ? channel : undefined });
    if (this.isAway) return send(response, {}, 503);
    const needed = method === "apps.connections.open" ? APP_TOKEN : TOKEN;
    if (request.headers.authorization !== `Bearer ${needed}`) {
      return send(response, {
        ok: false,
        error: method === "apps.connections.open" ? "not_allowed_token_type" : "invalid_auth",
      });
    }
    const disturbance = this.#disturbances.get(method)?.shift();
    if (disturbance?.kind === "status") return send(response, {}, disturbance.status, disturbance.headers);
    if (disturbance?.kind === "error") return send(response, { ok: false, error: disturbance.error });
    const answer = this.workspace.perform(method, given);
    if (disturbance?.kind === "cut") return void response.destroy();
    if (disturbance?.kind === "hang") return;
    send(response, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sockets.dispose();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Slack takes JSON and forms; in a form, what is no text is JSON. */
function decoded(body: string, type: string): Readonly<Record<string, unknown>> {
  if (type.startsWith("application/json")) {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  }
  const members = [...new URLSearchParams(body)].map(([name, text]): [string, unknown] => {
    const value: unknown = ["blocks", "metadata", "attachments"].includes(name) ? JSON.parse(text) : text;
    return [name, value];
  });
  return Object.fromEntries(members);
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
