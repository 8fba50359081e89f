import { LogLevel, SocketModeClient } from "@slack/socket-mode";
import { ErrorCode, WebClient } from "@slack/web-api";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SLACK_BOT, SLACK_TEAM } from "../../../../test/support/slack-workspace.ts";
import { SlackServer } from "../../../../test/support/slack-server.ts";
import { until } from "../../../../test/support/until.ts";

const CHANNEL = "C0123456789";
const QUIET = { logLevel: LogLevel.ERROR };

const parseGiven = compileParser(
  "what a handler of the client gets",
  Type.Object({ body: Type.Object({ event_id: Type.String() }), retry_num: Type.Integer() }),
);

/** Slack's own clients show that the fake speaks as Slack does; the other tests, that ours speaks with the fake. */
describe("the fake Slack for Slack's own clients", () => {
  let slack: SlackServer;
  let web: WebClient;

  beforeEach(async () => {
    slack = await SlackServer.open({ ackMs: 200, pingMs: 100 });
    web = new WebClient(slack.token, {
      slackApiUrl: `${slack.url}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      ...QUIET,
    });
  });
  afterEach(() => slack[Symbol.asyncDispose]());

  it("takes and shows messages, edits, reactions and members", async () => {
    slack.join("U0SAM", "sam@example.com");
    expect(await web.auth.test()).to.include({ user_id: SLACK_BOT, team_id: SLACK_TEAM });
    const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*a*" } }];
    const metadata = { event_type: "tarsy", event_payload: { dedup_key: "k" } };
    const posted = await web.chat.postMessage({ channel: CHANNEL, text: "a", blocks, metadata });
    const ts = posted.ts ?? "";
    const reply = await web.chat.postMessage({ channel: CHANNEL, text: "b", thread_ts: ts });
    await web.chat.update({ channel: CHANNEL, ts, text: "c" });
    await web.reactions.add({ channel: CHANNEL, timestamp: ts, name: "eyes" });
    await web.chat.postEphemeral({ channel: CHANNEL, user: "U0SAM", text: "psst" });
    const history = await web.conversations.history({ channel: CHANNEL, include_all_metadata: true });
    expect(history.messages?.map(({ text }) => text)).to.deep.equal(["c"]);
    expect(history.messages?.[0]?.metadata).to.deep.equal(metadata);
    const replies = await web.conversations.replies({ channel: CHANNEL, ts });
    expect(replies.messages?.map((one) => one.ts)).to.deep.equal([ts, reply.ts]);
    const { user } = await web.users.info({ user: "U0SAM" });
    expect(user?.profile?.email).to.equal("sam@example.com");
    expect(slack.workspace.ephemerals.map(({ text }) => text)).to.deep.equal(["psst"]);
    const again = await web.reactions.add({ channel: CHANNEL, timestamp: ts, name: "eyes" }).catch(codeOf);
    expect(again).to.equal("already_reacted");
  });

  it("refuses with Slack's words, and with a time to wait", async () => {
    const post = async () =>
      web.chat.postMessage({ channel: CHANNEL, text: "a" }).catch((error: unknown) => error);
    slack.disturb(
      { kind: "error", error: "is_archived" },
      { kind: "status", status: 429, headers: { "retry-after": "7" } },
    );
    expect(codeOf(await post())).to.equal("is_archived");
    expect(await post()).to.include({ code: ErrorCode.RateLimitedError, retryAfter: 7 });
    const other = new WebClient("xoxb-other", {
      slackApiUrl: `${slack.url}/`,
      retryConfig: { retries: 0 },
      ...QUIET,
    });
    expect(await other.auth.test().catch(codeOf)).to.equal("invalid_auth");
  });

  it("sends events to the client of Socket Mode, again with the same id until they are acknowledged, and connects it anew", async () => {
    const client = new SocketModeClient({
      appToken: slack.appToken,
      clientOptions: { slackApiUrl: `${slack.url}/` },
      clientPingTimeout: 1_000,
      ...QUIET,
    });
    const seen: { readonly id: unknown; readonly retry: unknown }[] = [];
    let slow = 1;
    client.on("app_mention", (given: unknown) => {
      const { body, retry_num } = parseGiven(given);
      seen.push({ id: body.event_id, retry: retry_num });
      slow -= 1;
      if (slow < 0) acknowledge(given);
    });
    client.on("interactive", acknowledge);
    await client.start();
    try {
      slack.mention(CHANNEL, "U0SAM", "hello");
      await until("it is acknowledged", () => slack.sockets.acks.length >= 1 && seen.length >= 2);
      expect(new Set(seen.map(({ id }) => id))).to.have.lengthOf(1);
      // One that the client loses while it connects anew, or acknowledges late, is one more repetition.
      expect(seen[0]?.retry).to.equal(0);
      expect(seen[1]?.retry).to.be.above(0);
      const message = { channel: CHANNEL, ts: "1.0", text: "x" };
      const { acks } = slack.sockets;
      const before = acks.length;
      slack.press("U0SAM", message, { action_id: "a", value: "v" });
      await until("the press is acknowledged", () => acks.length > before);
      const { connected } = slack.sockets;
      slack.sockets.recycle();
      await until("it is connected again", () => slack.sockets.connected > connected);
    } finally {
      await client.disconnect();
    }
  });
});

/** As the client's handlers do it. */
function acknowledge(given: unknown): void {
  const ack: unknown = Reflect.get(Object(given), "ack");
  if (typeof ack === "function") void Reflect.apply(ack, undefined, []);
}

function codeOf(error: unknown): unknown {
  const data: unknown = Reflect.get(Object(error), "data");
  return Reflect.get(Object(data), "error");
}
