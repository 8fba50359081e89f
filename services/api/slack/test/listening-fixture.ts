import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SlackServer } from "../../../../test/support/slack-server.ts";
import { until } from "../../../../test/support/until.ts";
import { Outbound } from "../../notifications/http/outbound.ts";
import { openDestinations } from "../../notifications/notify.ts";
import { sendNotifications } from "../../notifications/send-notifications.ts";
import { ADMIN_ACCESS, ApiFixture } from "../../test/api-fixture.ts";
import { listenToSlack } from "../listen.ts";

export const CHANNEL = "C0123456789";
/** Where mentions start sessions. */
export const OPEN_CHANNEL = "C0OPEN";

const parseEvent = compileParser(
  "external event",
  Type.Object({
    kind: Type.String(),
    actor: Type.String(),
    state: Type.String(),
    awaits: Type.Union([Type.String(), Type.Null()]),
    last_error: Type.Union([Type.String(), Type.Null()]),
  }),
);

/** People of the fake Slack. */
export const PEOPLE = {
  operator: "U0OPS",
  submitter: "U0SUB",
  viewer: "U0VIEW",
  stranger: "U0OTHER",
} as const;

/** An api that listens to a fake Slack; several may at a time. */
export class ListeningFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly api: ApiFixture;
  readonly slack: SlackServer;

  private constructor(resources: AsyncDisposableStack, api: ApiFixture, slack: SlackServer) {
    this.#resources = resources;
    this.api = api;
    this.slack = slack;
  }

  static async start({
    ackMs = 300,
    ...section
  }: { ackMs?: number; approvals?: boolean } = {}): Promise<ListeningFixture> {
    const resources = new AsyncDisposableStack();
    const slack = resources.use(await SlackServer.open({ ackMs, pingMs: 200 }));
    slack.join(PEOPLE.operator, "Olga@example.com");
    slack.join(PEOPLE.submitter, "sam@example.com");
    slack.join(PEOPLE.viewer, "vera@elsewhere.example");
    slack.join(PEOPLE.stranger, "mallory@elsewhere.example");
    const api = resources.use(
      await ApiFixture.start({
        config: {
          tarsy: {
            system: {
              dashboard_url: "https://tarsy.example.com",
              slack: {
                enabled: true,
                channel: CHANNEL,
                listen: true,
                people: { [PEOPLE.viewer]: "vera@example.com" },
                mail_domains: ["example.com"],
                roles: { "olga@example.com": "operator", "sam@example.com": "submitter" },
                default_role: "viewer",
                start_sessions_in: [OPEN_CHANNEL],
                ...section,
              },
            },
          },
        },
        env: {
          ...ADMIN_ACCESS,
          SLACK_BOT_TOKEN: slack.token,
          SLACK_APP_TOKEN: slack.appToken,
          SLACK_API_URL: slack.url,
        },
      }),
    );
    return new ListeningFixture(resources, api, slack);
  }

  /** Listens and sends as an api does until `stop` is called. Resolves once it is connected. */
  async listen(
    options: { readonly refusedMs?: number } = {},
  ): Promise<{ readonly stop: () => Promise<void> }> {
    const { db, log, metrics, config, masker } = this.api.deps;
    const { connected } = this.slack.sockets;
    const stopping = new AbortController();
    const outbound = new Outbound();
    const destinations = openDestinations(config.notifications, { db, outbound });
    const { pageUrl } = config.notifications;
    const working = Promise.all([
      listenToSlack(this.api.deps, stopping.signal, { everyMs: 20, ...options }),
      sendNotifications({ db, log, metrics, destinations, masker, pageUrl }, stopping.signal, {
        everyMs: 20,
      }),
    ]);
    const stop = async () => {
      stopping.abort(new Error("the test stops it"));
      await working;
      await outbound[Symbol.asyncDispose]();
    };
    this.#resources.defer(stop);
    await until("it is connected", () => this.slack.sockets.connected > connected);
    return { stop };
  }

  /** A session whose thread is that of a message of the app. */
  async sessionInThread({ channel = CHANNEL }: { channel?: string } = {}): Promise<{
    id: string;
    thread: string;
  }> {
    const id = await this.api.accepted(JSON.stringify({ data: "disk full" }));
    const thread = this.slack.workspace.nextTs(Date.now());
    this.slack.messages.push({
      channel,
      text: "Processing started",
      ts: thread,
      metadata: { event_type: "x", event_payload: {} },
    });
    await this.api.servers.query(
      "INSERT INTO slack_threads (channel, thread_ts, session_id, message_ts) VALUES ($1, $2, $3, $2)",
      [channel, thread, id],
    );
    await this.begin(id);
    return { id, thread };
  }

  async begin(id: string): Promise<void> {
    await this.api.servers.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [id],
    );
  }

  async end(id: string, analysis = "the disk is full"): Promise<void> {
    await this.api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), final_analysis = $2 WHERE session_id = $1",
      [id, analysis],
    );
  }

  /** A question about a call of the session, as an agent asks it. */
  async ask(id: string, args = '{"pod":"a"}'): Promise<string> {
    const approval = randomUUID();
    await this.api.servers.query(
      `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
       VALUES ($1, $2, $3, $4, 'k8s.remove', $5, '0123456789abcdef0123456789abcdef', 'awaiting_approval', now() + interval '1 h')`,
      [approval, id, randomUUID(), randomUUID(), args],
    );
    return approval;
  }

  async events() {
    const rows = await this.api.servers.query(
      "SELECT kind, actor, state, awaits, last_error FROM external_events ORDER BY id",
      [],
    );
    return rows.map((row) => parseEvent(row));
  }

  /** Waits until so many events are settled and nothing is to be said about them any more. */
  async settled(count: number) {
    await until(`${count} events are settled`, async () => {
      const all = await this.events();
      return (
        all.length >= count &&
        all.every(
          ({ state, awaits }) =>
            state !== "pending" && (awaits === null || awaits === "read" || awaits === "answer"),
        )
      );
    });
    return this.events();
  }

  async notes(id: string) {
    return this.api.servers.query(
      "SELECT mode, content, author FROM steering_messages WHERE session_id = $1 ORDER BY ordinal",
      [id],
    );
  }

  async questions(id: string) {
    return this.api.servers.query(
      "SELECT content, author FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1 ORDER BY chat_user_messages.created_at",
      [id],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
