import { expect } from "chai";
import { Client } from "pg";
import { itNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SlackServer } from "../support/slack-server.ts";
import { until } from "../support/until.ts";

const CHANNEL = "C0123456789";
const OPERATOR = "U0OPS";
const STRANGER = "U0OTHER";
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
        approvals: true,
      },
    },
    defaults: { llm_provider: "scripted", alert_type: "test" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: { Looker: { type: "action", mcp_servers: ["k8s"] } },
    agent_chains: { "test-chain": { alert_types: ["test"], stages } },
  },
  script: {
    calls: [
      {
        when: { agent: "Looker", call: 1, contains: "ACT" },
        steps: [{ tool_call: { name: "k8s.remove", arguments: { pod: "a" } } }],
      },
      { steps: [{ text: "all is well" }] },
    ],
  },
  stubTools: {
    servers: { k8s: { remove: { effect: "write", approve: true, results: [{ text: "removed" }] } } },
  },
};

/** What people do in Slack while the api is killed: `do` sets off what `expectOnce` waits for. */
interface Scene {
  readonly do: () => void;
  readonly expectOnce: () => Promise<void>;
}

/**
 * Where the api stands when it is killed: in a statement that waits for a lock on its table, or in a call that Slack has done and does not
 * answer.
 */
const POINTS = [
  { when: "before the event is committed", waits: "INSERT INTO external_events", scene: "alert" },
  { when: "before the session is committed", waits: "INSERT INTO alert_sessions", scene: "alert" },
  // By day the one between two transactions.
  {
    when: "between the session and the event's end",
    waits: "INSERT INTO slack_threads",
    scene: "alert",
    isDaily: true,
  },
  { when: "while it asks who wrote", calls: "users.info", scene: "alert" },
  { when: "while it reads what the mention answers", calls: "conversations.replies", scene: "answer" },
  { when: "while it says that it has the event", calls: "reactions.add", scene: "alert" },
  { when: "after Slack has the message, before that is stored", calls: "chat.postMessage", scene: "alert" },
  { when: "while the message gets the end", calls: "chat.update", scene: "alert" },
  { when: "while it says why nothing is done", calls: "chat.postEphemeral", scene: "refusal" },
  { when: "before a note is committed", waits: "INSERT INTO steering_messages", scene: "note" },
  { when: "before a decision is committed", waits: "UPDATE approvals", scene: "decision" },
  { when: "before a question is committed", waits: "INSERT INTO chat_user_messages", scene: "question" },
] as const;

describe("what people write in Slack, with an api that is killed", () => {
  const resources = new AsyncDisposableStack();
  let slack: SlackServer;
  let pipeline: PipelineFixture;

  before(async () => {
    slack = resources.use(await SlackServer.open({ ackMs: 1_000 }));
    slack.join(OPERATOR, MAIL);
    slack.join(STRANGER, "mallory@elsewhere.example");
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

  const query = async (sql: string, ...values: unknown[]) => pipeline.servers.query(sql, values);
  /** What a killed api held is free at once. */
  const hurry = async () => {
    await query("UPDATE external_events SET lease_expires_at = now() WHERE lease_expires_at > now()");
    await query("UPDATE outbox SET lease_expires_at = now(), not_before = now() WHERE state = 'pending'");
    await query("UPDATE slack_threads SET flushing_until = NULL");
    await query("UPDATE notification_destinations SET not_before = NULL");
  };
  const restart = async (between?: () => Promise<unknown>) => {
    await pipeline.system.stop("api", "SIGKILL");
    await between?.();
    await hurry();
    await pipeline.system.startService("api");
  };
  const allSaid = async () =>
    until("all is said", async () => {
      const open = await query("SELECT FROM external_events WHERE state = 'pending' OR awaits IS NOT NULL");
      return open.length === 0;
    });
  const postedIn = (thread: string) => slack.posted().filter(({ thread_ts }) => thread_ts === thread);
  const posted = async (thread: string, text: RegExp) => {
    const found = () => postedIn(thread).find((one) => text.test(one.text));
    await until(`there is a message ${String(text)}`, () => found() !== undefined);
    return found();
  };
  /** The mention has one session, and its thread one message, which has the end. */
  const expectOneSession = async (thread: string, data: string) => {
    await posted(thread, /^Analysis Complete/u);
    await allSaid();
    expect(await query("SELECT FROM alert_sessions WHERE alert_data = $1", data)).to.have.length(1);
    expect(postedIn(thread)).to.have.length(1);
  };

  const scenes: Readonly<Record<(typeof POINTS)[number]["scene"], (text: string) => Scene | Promise<Scene>>> =
    {
      alert: (text) => {
        let ts = "";
        return {
          do: () => (ts = slack.mention(CHANNEL, OPERATOR, text)),
          expectOnce: async () => expectOneSession(ts, text),
        };
      },
      answer: (text) => {
        const thread = slack.say(CHANNEL, `[FIRING] ${text}`, { user: "U0BOT" });
        const data = `look\n\nThe message in Slack that this is about:\n[FIRING] ${text}`;
        return {
          do: () => slack.mention(CHANNEL, OPERATOR, "look", { thread }),
          expectOnce: async () => expectOneSession(thread, data),
        };
      },
      refusal: (text) => ({
        do: () => slack.mention(CHANNEL, STRANGER, text),
        expectOnce: async () => {
          const refused = async () =>
            query("SELECT FROM external_events WHERE actor = $1 AND state = 'refused'", STRANGER);
          await until("it is refused", async () => (await refused()).length === 1);
          await allSaid();
          expect(slack.workspace.ephemerals.filter(({ user }) => user === STRANGER)).not.to.have.length(0);
          expect(await query("SELECT FROM alert_sessions WHERE alert_data = $1", text)).to.deep.equal([]);
        },
      }),
      note: async (text) => {
        const thread = slack.mention(CHANNEL, OPERATOR, `ACT ${text}`);
        const question = await posted(thread, /^Approval needed/u);
        return {
          do: () => slack.mention(CHANNEL, OPERATOR, text, { thread }),
          expectOnce: async () => {
            const notes = async () => query("SELECT FROM steering_messages WHERE content = $1", text);
            await until("there is the note", async () => (await notes()).length > 0);
            if (question === undefined) throw new Error("no question");
            slack.press(OPERATOR, question, slack.buttonOf(question, "tarsy_deny"));
            await posted(thread, /^Analysis Complete/u);
            await allSaid();
            expect(await notes()).to.have.length(1);
          },
        };
      },
      decision: async (text) => {
        const thread = slack.mention(CHANNEL, OPERATOR, `ACT ${text}`);
        const question = await posted(thread, /^Approval needed/u);
        if (question === undefined) throw new Error("no question");
        return {
          do: () => slack.press(OPERATOR, question, slack.buttonOf(question, "tarsy_approve")),
          expectOnce: async () => {
            await posted(thread, /^Analysis Complete/u);
            await allSaid();
            const { ts } = question;
            expect(slack.messages.find((one) => one.ts === ts)?.text).to.contain(
              `approved by <@${OPERATOR}>`,
            );
            const [approval] = await query(
              `SELECT a.state, a.decided_via, count(k.*)::int AS calls FROM approvals a JOIN alert_sessions s USING (session_id)
               JOIN tool_calls k USING (call_id) WHERE s.alert_data = $1 GROUP BY 1, 2`,
              `ACT ${text}`,
            );
            expect(approval).to.deep.equal({ state: "approved", decided_via: "slack", calls: 1 });
          },
        };
      },
      question: async (text) => {
        const thread = slack.mention(CHANNEL, OPERATOR, `asked about ${text}`);
        await posted(thread, /^Analysis Complete/u);
        await allSaid();
        return {
          do: () => slack.mention(CHANNEL, OPERATOR, text, { thread }),
          expectOnce: async () => {
            await posted(thread, /^Answer/u);
            await allSaid();
            expect(await query("SELECT FROM chat_user_messages WHERE content = $1", text)).to.have.length(1);
            expect(postedIn(thread).filter((one) => one.text === "Answer")).to.have.length(1);
          },
        };
      },
    };

  for (const point of POINTS) {
    const test = "isDaily" in point ? it : itNightly;
    test(`has its effect once if that happens ${point.when}`, async () => {
      const scene = await scenes[point.scene](`killed ${point.when}`);
      if ("waits" in point) {
        const holder = new Client(pipeline.servers.postgres.url);
        await holder.connect();
        await holder.query(`BEGIN; LOCK TABLE ${point.waits.split(" ").at(-1)} IN SHARE MODE`);
        scene.do();
        await until("the api waits for the lock", async () => {
          const waiting = await query(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'",
            point.waits,
          );
          return waiting.length > 0;
        });
        await restart(async () => holder.query("ROLLBACK"));
        await holder.end();
      } else {
        // What is known of the author is kept: an api that has just started asks.
        if (point.calls === "users.info") await restart();
        const calls = () => slack.calls.filter(({ method }) => method === point.calls).length;
        const before_ = calls();
        slack.disturbMethod(point.calls, { kind: "hang" });
        scene.do();
        await until("the api waits for Slack", () => calls() > before_);
        await restart();
      }
      await scene.expectOnce();
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
    for (const [ts, text] of said) await expectOneSession(ts, text);
    await pipeline.system.end(second, "SIGTERM");
  });
});
