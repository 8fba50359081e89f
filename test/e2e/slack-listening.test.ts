import { expect } from "chai";
import { Client } from "pg";
import { itNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SlackServer } from "../support/slack-server.ts";
import { until } from "../support/until.ts";

const CHANNEL = "C0123456789";
const OPERATOR = "U0OPS";
const MAIL = "olga@example.com";

const stages = [{ name: "look", agents: [{ name: "Looker", iteration_strategy: "native-thinking" }] }];
const config = {
  tarsy: {
    system: {
      dashboard_url: "https://tarsy.example.com",
      slack: {
        enabled: true,
        channel: CHANNEL,
        listen: true,
        mail_domains: ["example.com"],
        roles: { [MAIL]: "operator" },
        start_sessions_in: [CHANNEL],
      },
    },
    defaults: { llm_provider: "scripted", alert_type: "test" },
    agents: { Looker: { type: "action" } },
    agent_chains: { "test-chain": { alert_types: ["test"], stages } },
  },
  script: { calls: [{ steps: [{ text: "all is well" }] }] },
};

/** Where the api stands when it is killed: in a statement that waits for a lock, or in a call that Slack does not answer. */
const IN_DATABASE = [
  ["before the event is committed", "external_events"],
  ["before the session is committed", "alert_sessions"],
  ["between the session and the event's end", "slack_threads"],
] as const;
const IN_SLACK = [
  ["while it asks who wrote", "users.info"],
  ["while it says that it has the event", "reactions.add"],
  ["after Slack has the message, before that is stored", "chat.postMessage"],
  ["while the message gets the end", "chat.update"],
] as const;

describe("what people write in Slack, with an api that is killed", () => {
  const resources = new AsyncDisposableStack();
  let slack: SlackServer;
  let pipeline: PipelineFixture;

  before(async () => {
    slack = resources.use(await SlackServer.open({ ackMs: 1_000 }));
    slack.join(OPERATOR, MAIL);
    pipeline = resources.use(
      await PipelineFixture.start({
        ownServers: true,
        config,
        env: { SLACK_BOT_TOKEN: slack.token, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.url },
      }),
    );
    await until("the api is connected", () => slack.sockets.open.length > 0);
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  /** What a killed api held is free at once. */
  const hurry = async () => {
    const { servers } = pipeline;
    await servers.query(
      "UPDATE external_events SET lease_expires_at = now() WHERE lease_expires_at > now()",
      [],
    );
    await servers.query(
      "UPDATE outbox SET lease_expires_at = now(), not_before = now() WHERE state = 'pending'",
      [],
    );
    await servers.query("UPDATE slack_threads SET flushing_until = NULL", []);
    await servers.query("UPDATE notification_destinations SET not_before = NULL", []);
  };
  const restart = async () => {
    await pipeline.system.stop("api", "SIGKILL");
    await hurry();
    await pipeline.system.startService("api");
  };
  const sessions = async (text: string) =>
    pipeline.servers.query("SELECT session_id::text AS id FROM alert_sessions WHERE alert_data = $1", [text]);
  /** The mention has one session, and its thread one message, which has the end. */
  const expectOnce = async (ts: string, text: string) => {
    const messages = () => slack.posted().filter(({ thread_ts }) => thread_ts === ts);
    await until("the message has the end", () =>
      messages().some((one) => one.text === "Analysis Complete (test)"),
    );
    await until("all is said", async () => {
      const open = await pipeline.servers.query(
        "SELECT FROM external_events WHERE state = 'pending' OR awaits IS NOT NULL",
        [],
      );
      return open.length === 0;
    });
    expect(await sessions(text)).to.have.length(1);
    expect(messages()).to.have.length(1);
  };

  for (const [when, table] of IN_DATABASE) {
    // By day the one between two transactions.
    const test = table === "slack_threads" ? it : itNightly;
    test(`has its effect once if that happens ${when}`, async () => {
      const client = new Client(pipeline.servers.postgres.url);
      await client.connect();
      const text = `locked ${table}`;
      await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
      const ts = slack.mention(CHANNEL, OPERATOR, text);
      await until("the api waits for the lock", async () => {
        const waiting = await pipeline.servers.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'",
          [table],
        );
        return waiting.length > 0;
      });
      await pipeline.system.stop("api", "SIGKILL");
      await client.query("ROLLBACK");
      await client.end();
      await hurry();
      await pipeline.system.startService("api");
      await expectOnce(ts, text);
    });
  }

  for (const [when, method] of IN_SLACK) {
    itNightly(`has its effect once if that happens ${when}`, async () => {
      const text = `hanging ${method}`;
      const before = slack.calls.filter((call) => call.method === method).length;
      // What is known of the author is kept: an api that has just started asks.
      if (method === "users.info") await restart();
      slack.disturbMethod(method, { kind: "hang" });
      const ts = slack.mention(CHANNEL, OPERATOR, text);
      await until(
        "the api waits for Slack",
        () => slack.calls.filter((call) => call.method === method).length > before,
      );
      await restart();
      await expectOnce(ts, text);
    });
  }

  itNightly("has its effect once with two apis of which one is killed again and again", async () => {
    const second = await pipeline.system.startService("api", { API_PORT: "0" });
    const said: (readonly [ts: string, text: string])[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 3; n += 1) {
        const text = `storm ${round} ${n}`;
        said.push([slack.mention(CHANNEL, OPERATOR, text), text]);
      }
      const victim = pipeline.system.all("api").find((one) => one !== second);
      if (victim !== undefined) await pipeline.system.end(victim, "SIGKILL");
      await hurry();
      await pipeline.system.startService("api");
    }
    for (const [ts, text] of said) await expectOnce(ts, text);
    await pipeline.system.end(second, "SIGTERM");
  });
});
