import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import { SlackServer } from "../../../test/support/slack-server.ts";
import { WebhookServer } from "../../../test/support/webhook-server.ts";
import { Outbound } from "../notifications/http/outbound.ts";
import { openDestinations } from "../notifications/notify.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";

export const CHANNEL = "C0123456789";
export const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of 32 bytes for tests!!").toString("base64")}`;
export const PAGE_URL = "https://tarsy.example.com";

const Row = Type.Object({
  id: Type.Integer(),
  kind: Type.String(),
  destination: Type.String(),
  dedup_key: Type.String(),
  state: Type.String(),
  attempts: Type.Integer(),
  is_unsure: Type.Boolean(),
  last_error: Type.Union([Type.String(), Type.Null()]),
  lease_token: Type.Union([Type.String(), Type.Null()]),
});
const parseRow = compileParser("outbox row", Row);

/** An api that tells a fake Slack and a receiver of webhooks. Nothing is sent before `send`. */
export class NotificationsFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly api: ApiFixture;
  readonly slack: SlackServer;
  readonly hook: WebhookServer;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    api: ApiFixture;
    slack: SlackServer;
    hook: WebhookServer;
  }) {
    this.#resources = parts.resources;
    this.api = parts.api;
    this.slack = parts.slack;
    this.hook = parts.hook;
  }

  static async start({
    slack: hasSlack = true,
    hook: hasHook = true,
    events,
  }: { slack?: boolean; hook?: boolean; events?: readonly string[] } = {}): Promise<NotificationsFixture> {
    const resources = new AsyncDisposableStack();
    const slack = resources.use(await SlackServer.open());
    const hook = resources.use(await WebhookServer.open());
    const webhook = { name: "ops", url: hook.url, secret_env: "OPS_SECRET", ...(events ? { events } : {}) };
    const api = resources.use(
      await ApiFixture.start({
        config: {
          tarsy: {
            system: {
              dashboard_url: `${PAGE_URL}/`,
              slack: { enabled: hasSlack, channel: CHANNEL },
              notifications: { webhooks: hasHook ? [webhook] : [] },
            },
          },
        },
        env: {
          ...ADMIN_ACCESS,
          SLACK_BOT_TOKEN: slack.token,
          SLACK_API_URL: slack.url,
          OPS_SECRET: WEBHOOK_SECRET,
        },
      }),
    );
    return new NotificationsFixture({ resources, api, slack, hook });
  }

  /** Sends what is due, as an api does, until `stop` is called; several may run at a time. */
  send(): { readonly stop: () => Promise<void> } {
    const { db, log, metrics, config, masker } = this.api.deps;
    const stopping = new AbortController();
    const outbound = new Outbound();
    const destinations = openDestinations(config.notifications, { db, outbound });
    const { pageUrl } = config.notifications;
    const sending = sendNotifications({ db, log, metrics, destinations, masker, pageUrl }, stopping.signal, {
      everyMs: 20,
    });
    const stop = async () => {
      stopping.abort(new Error("the test stops it"));
      await sending;
      await outbound[Symbol.asyncDispose]();
    };
    this.#resources.defer(stop);
    return { stop };
  }

  async submit(alert: object = {}): Promise<string> {
    return this.api.accepted(JSON.stringify({ data: "disk full", ...alert }));
  }

  async begin(id: string): Promise<void> {
    await this.api.servers.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [id],
    );
  }

  /** As an executor: the row's status, and with it what the database adds. */
  async end(
    id: string,
    status: TerminalStatus = "completed",
    { analysis = "the disk is full", summary = null, error = null }: EndedFields = {},
  ): Promise<void> {
    await this.api.servers.query(
      `UPDATE alert_sessions SET status = $2, completed_at = now(), final_analysis = $3, executive_summary = $4,
         error_message = $5 WHERE session_id = $1`,
      [id, status, analysis, summary, error],
    );
  }

  async rows(id: string) {
    const found = await this.api.servers.query(
      `SELECT id::int, kind, destination, dedup_key, state, attempts, is_unsure, last_error, lease_token FROM outbox
       WHERE session_id = $1 ORDER BY id, destination`,
      [id],
    );
    return found.map((row) => parseRow(row));
  }

  /** What waits is due now. */
  async hurry(): Promise<void> {
    await this.api.servers.query("UPDATE outbox SET not_before = now() WHERE state = 'pending'", []);
    await this.api.servers.query("UPDATE notification_destinations SET not_before = NULL", []);
  }

  /** The messages in Slack that are about this session. */
  posted(id: string) {
    return this.slack.posted().filter(({ metadata }) => metadata?.event_payload["session_id"] === id);
  }

  /** The webhooks that are about this session. */
  received(id: string) {
    return this.hook.received.filter(({ body }) => body.includes(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

interface EndedFields {
  readonly analysis?: string | null;
  readonly summary?: string | null;
  readonly error?: string | null;
}
