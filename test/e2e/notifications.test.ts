import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { removalConfig } from "../support/removal-config.ts";
import { SlackServer } from "../support/slack-server.ts";
import { until } from "../support/until.ts";
import { WebhookServer, isSigned } from "../support/webhook-server.ts";

const CHANNEL = "C0123456789";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const HOSTILE = "<!channel> look at <http://x|y>, it is **full** & broken";

const config = (hook: WebhookServer) => ({
  ...removalConfig("done", {
    dashboard_url: "https://tarsy.example.com",
    slack: { enabled: true, channel: CHANNEL },
    notifications: { webhooks: [{ name: "ops", url: hook.url, secret_env: "OPS_SECRET" }] },
  }),
  script: {
    calls: [
      { when: { contains: "summaries of incident analyses" }, steps: [{ text: HOSTILE }] },
      {
        when: { contains: "REMOVE", call: 1 },
        steps: [{ tool_call: { name: "k8s.remove", arguments: { pod: "<!here>" } } }],
      },
      { steps: [{ text: "done" }] },
    ],
  },
});

describeNightly("notifications of the whole system", () => {
  const resources = new AsyncDisposableStack();
  let slack: SlackServer;
  let hook: WebhookServer;
  let pipeline: PipelineFixture;

  before(async () => {
    slack = resources.use(await SlackServer.open());
    hook = resources.use(await WebhookServer.open());
    pipeline = resources.use(
      await PipelineFixture.start({
        ownServers: true,
        config: config(hook),
        env: { SLACK_BOT_TOKEN: slack.token, SLACK_API_URL: slack.url, OPS_SECRET: SECRET },
      }),
    );
  });
  after(() => resources.disposeAsync());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const messages = (id: string) =>
    slack.posted().filter(({ metadata }) => metadata?.event_payload["session_id"] === id);
  const texts = (id: string) => messages(id).map(({ text }) => text);
  const unsent = async (id: string): Promise<number> =>
    (await pipeline.servers.query("SELECT 1 FROM outbox WHERE session_id = $1 AND state <> 'sent'", [id]))
      .length;
  /** Leases of killed apis are over, and what waits for its next attempt is due. */
  const hurry = async () => {
    await pipeline.servers.query(
      `UPDATE outbox SET not_before = now(), lease_expires_at = least(lease_expires_at, now()) WHERE state = 'pending'`,
      [],
    );
    await pipeline.servers.query("UPDATE notification_destinations SET not_before = NULL", []);
  };
  const untilSent = async (id: string) =>
    until("all is sent", async () => {
      await hurry();
      return (await unsent(id)) === 0;
    });

  it("reach Slack and a receiver, from the start in the thread of the alert to the end, with hostile texts inert", async () => {
    const thread = slack.say(CHANNEL, "[FIRING] Disk full on db-7");
    const id = await pipeline.client.submit("x", { slack_message_fingerprint: "disk full  on DB-7" });
    await pipeline.client.waitFor(id, ["completed"]);
    await until("all is sent", async () => (await unsent(id)) === 0);
    expect(texts(id)).to.deep.equal(["Processing started (test)", "Analysis Complete (test)"]);
    expect(messages(id).map(({ thread_ts }) => thread_ts)).to.deep.equal([thread, thread]);
    const blocks = JSON.stringify(messages(id)[1]?.blocks);
    expect(blocks).to.contain("&lt;!channel&gt; look at &lt;http://x|y&gt;, it is **full** &amp; broken");
    expect(blocks).not.to.match(/[<>]/u);
    const received = hook.received.filter(({ body }) => body.includes(id));
    expect(received).to.have.length(1);
    expect(received.every((one) => isSigned(one, SECRET))).to.equal(true);
    expect(received[0]?.body).to.contain('"type":"session.ended"').and.to.contain('"status":"completed"');
  });

  it("tell that a person must decide, with the link and the arguments, and then that the session was cancelled", async () => {
    const id = await pipeline.client.submit("REMOVE");
    // To both: once the session has ended no one is asked any more.
    await until("the question was sent", async () => texts(id).length === 1 && (await unsent(id)) === 0);
    const [asked] = messages(id);
    expect(asked?.text).to.equal("Approval needed (test): k8s.remove");
    const blocks = JSON.stringify(asked?.blocks);
    // Where it is no markup.
    const literal =
      '"rich_text_preformatted","elements":[{"type":"text","text":"{\\"pod\\":\\"<!here>\\"}"}]';
    expect(blocks).to.contain(literal);
    expect(blocks).to.contain(`https://tarsy.example.com/sessions/${id}`);
    await pipeline.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await pipeline.client.waitFor(id, ["cancelled"]);
    await until("all is sent", async () => (await unsent(id)) === 0);
    expect(texts(id)).to.deep.equal(["Approval needed (test): k8s.remove", "Analysis Cancelled (test)"]);
    const types = hook.received
      .filter(({ body }) => body.includes(id))
      .map(({ body }) => /"type":"[^"]+"/u.exec(body)?.[0]);
    expect(types).to.deep.equal(['"type":"approval.requested"', '"type":"session.ended"']);
  });

  it("are one each after kill -9 of executor and api behind the end of the session, with Slack away", async () => {
    slack.isAway = true;
    const id = await pipeline.client.submit("x", { slack_message_fingerprint: "nowhere" });
    await pipeline.client.waitFor(id, ["completed"]);
    await Promise.all([pipeline.system.stop("executor", "SIGKILL"), pipeline.system.stop("api", "SIGKILL")]);
    slack.isAway = false;
    await Promise.all([pipeline.system.startService("executor"), pipeline.system.startService("api")]);
    await untilSent(id);
    expect(texts(id)).to.deep.equal(["Processing started (test)", "Analysis Complete (test)"]);
  });

  it("are one if the api is killed between Slack's answer and its own commit", async () => {
    slack.disturb({ kind: "hang" });
    const id = await pipeline.client.submit("x");
    await until("Slack has the message", () => texts(id).length === 1);
    await pipeline.client.waitFor(id, ["completed"]);
    await pipeline.system.stop("api", "SIGKILL");
    expect(await unsent(id)).to.be.greaterThan(0);
    await pipeline.system.startService("api");
    await untilSent(id);
    expect(texts(id)).to.deep.equal(["Analysis Complete (test)"]);
    expect(slack.calls.at(-1)?.method).to.equal("conversations.history");
  });

  it("are finished or given back by an api that is asked to stop, and sent once by two apis", async () => {
    const second = await pipeline.system.startService("api", { API_PORT: "0" });
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await pipeline.client.submit("x"));
    await until("some are sent", () => ids.some((id) => texts(id).length === 1));
    expect(await pipeline.system.end(second, "SIGTERM")).to.equal(0);
    for (const id of ids) await pipeline.client.waitFor(id, ["completed"]);
    await until("all are sent", async () => (await Promise.all(ids.map(unsent))).every((n) => n === 0));
    for (const id of ids) {
      expect(texts(id), id).to.deep.equal(["Analysis Complete (test)"]);
      expect(hook.received.filter(({ body }) => body.includes(id))).to.have.length(1);
    }
  });
});
