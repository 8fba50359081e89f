import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { escapeMrkdwn } from "../notifications/slack/slack-message.ts";
import { CHANNEL, NotificationsFixture, PAGE_URL } from "./notifications-fixture.ts";

const FINGERPRINT = "Disk  FULL\non db-7";

describe("messages in Slack", () => {
  let fixture: NotificationsFixture;

  beforeEach(async () => {
    fixture = await NotificationsFixture.start({ hook: false });
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const submit = (fingerprint?: string) =>
    fixture.submit(fingerprint === undefined ? {} : { slack_message_fingerprint: fingerprint });
  const state = async (id: string) => (await fixture.rows(id)).map((row) => row.state).join(" ");
  const untilState = async (id: string, wanted: string) =>
    until(`the rows are ${wanted}`, async () => {
      await fixture.hurry();
      return (await state(id)) === wanted;
    });
  const textOf = (message: unknown) => JSON.stringify(message);

  it("have the end with its summary and a button, in the channel where there is no fingerprint", async () => {
    const id = await submit();
    fixture.slack.say(CHANNEL, "anything");
    await fixture.begin(id);
    await fixture.end(id, "completed", { analysis: "long", summary: "the *disk* is full" });
    fixture.send();
    await untilState(id, "sent");
    const [message] = fixture.posted(id);
    expect(message).to.include({ channel: CHANNEL, text: "Analysis Complete (test)" });
    expect(message).not.to.have.property("thread_ts");
    expect(message?.blocks).to.deep.equal([
      {
        type: "section",
        text: { type: "mrkdwn", text: ":white_check_mark: *Analysis Complete* (test)", verbatim: true },
      },
      { type: "section", text: { type: "mrkdwn", text: "the *disk* is full", verbatim: true } },
      {
        type: "actions",
        elements: [
          {
            type: "button",
            text: { type: "plain_text", text: "View Full Analysis" },
            url: `${PAGE_URL}/sessions/${id}`,
          },
        ],
      },
    ]);
    expect(fixture.slack.calls.map(({ method }) => method)).to.deep.equal(["chat.postMessage"]);
  });

  for (const [status, label] of [
    ["failed", ":x: *Analysis Failed*"],
    ["timed_out", ":hourglass: *Analysis Timed Out*"],
    ["cancelled", ":no_entry_sign: *Analysis Cancelled*"],
  ] as const) {
    it(`say how a session ended that is ${status}, with its error`, async () => {
      const id = await submit();
      await fixture.begin(id);
      await fixture.end(id, status, { analysis: null, error: "it <broke>" });
      fixture.send();
      await untilState(id, "sent");
      const text = textOf(fixture.posted(id));
      expect(text).to.contain(`${label} (test)\\n*Error:* it &lt;broke&gt;`);
      expect(text).to.contain("View Details");
    });
  }

  it("answer in the thread of the newest message with the fingerprint, which later messages use again", async () => {
    const old = fixture.slack.say(CHANNEL, "disk full on db-7", { ageMs: 25 * 3_600_000 });
    for (let n = 0; n < 450; n += 1) fixture.slack.say(CHANNEL, `noise ${n}`, { ageMs: 3_600_000 });
    const newest = fixture.slack.say(CHANNEL, "see below", {
      attachments: [{ text: "other" }, { fallback: "[FIRING] disk full   ON db-7!" }],
    });
    for (let n = 0; n < 250; n += 1) fixture.slack.say(CHANNEL, `more ${n}`);
    const id = await submit(FINGERPRINT);
    await fixture.begin(id);
    fixture.send();
    await untilState(id, "sent");
    await fixture.end(id);
    await untilState(id, "sent sent");
    const messages = fixture.posted(id);
    expect(messages.map(({ thread_ts }) => thread_ts)).to.deep.equal([newest, newest]);
    expect(newest).not.to.equal(old);
    expect(textOf(messages[0])).to.contain(":arrows_counterclockwise: *Processing started*");
    expect(textOf(messages[0])).to.contain(`<${PAGE_URL}/sessions/${id}|View Details>`);
    // Two pages for the first message, none for the second.
    expect(fixture.slack.calls.map(({ method }) => method)).to.deep.equal([
      "conversations.history",
      "conversations.history",
      "chat.postMessage",
      "chat.postMessage",
    ]);
  });

  it("go to the channel if no message of the last day has the fingerprint, and never answer an answer", async () => {
    const alert = fixture.slack.say(CHANNEL, "disk full on db-7", { ageMs: 25 * 3_600_000 });
    const first = await submit(FINGERPRINT);
    await fixture.begin(first);
    await fixture.end(first, "completed", { analysis: "disk full on db-7" });
    fixture.send();
    await untilState(first, "sent sent");
    // As the text of the answer to the first.
    const second = await submit("Analysis COMPLETE (test)");
    await fixture.begin(second);
    await untilState(second, "sent");
    for (const message of [...fixture.posted(first), ...fixture.posted(second)]) {
      expect(message).not.to.have.property("thread_ts");
    }
    expect(alert).to.be.a("string");
  });

  it("are one after two 429s, each waited for as long as Slack says", async () => {
    const id = await submit();
    fixture.slack.disturb(
      { kind: "status", status: 429, headers: { "retry-after": "1" } },
      { kind: "status", status: 429, headers: { "retry-after": "2" } },
    );
    await fixture.begin(id);
    await fixture.end(id);
    fixture.send();
    await until("it is sent", async () => (await state(id)) === "sent");
    expect(fixture.posted(id)).to.have.length(1);
    const [first = 0, second = 0, third = 0] = fixture.slack.calls.map(({ atMs }) => atMs);
    expect(second - first).to.be.at.least(990);
    expect(third - second).to.be.at.least(1_990);
    expect(fixture.slack.calls.map(({ method }) => method)).to.deep.equal(Array(3).fill("chat.postMessage"));
  });

  for (const fingerprint of [undefined, "disk full"]) {
    const where = fingerprint === undefined ? "the channel" : "the thread";
    it(`are one if Slack took it and its answer was lost: ${where} has it`, async () => {
      fixture.slack.say(CHANNEL, "disk full");
      const id = await submit(fingerprint);
      fixture.slack.disturb({ kind: "cut" });
      await fixture.begin(id);
      if (fingerprint === undefined) await fixture.end(id);
      fixture.send();
      await untilState(id, "sent");
      expect(fixture.posted(id)).to.have.length(1);
      const [row] = await fixture.api.servers.query(
        "SELECT receipt->>'ts' AS ts FROM outbox WHERE session_id = $1",
        [id],
      );
      expect(row).to.deep.equal({ ts: fixture.posted(id)[0]?.ts });
    });

    it(`are one if the api died between Slack's answer and its own commit: ${where} has it`, async () => {
      fixture.slack.say(CHANNEL, "disk full");
      const id = await submit(fingerprint);
      await fixture.begin(id);
      if (fingerprint === undefined) await fixture.end(id);
      const { stop } = fixture.send();
      await untilState(id, "sent");
      await stop();
      // What a process leaves that was killed there.
      await fixture.api.servers.query(
        `UPDATE outbox SET state = 'pending', settled_at = NULL, receipt = NULL, lease_token = gen_random_uuid(),
           lease_expires_at = now() - interval '1 s' WHERE session_id = $1`,
        [id],
      );
      fixture.send();
      await untilState(id, "sent");
      expect(fixture.posted(id)).to.have.length(1);
    });
  }

  it("follow in their order once Slack is back after an hour", async () => {
    fixture.slack.isAway = true;
    fixture.send();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const id = await submit(`alert ${n}`);
      ids.push(id);
      await fixture.begin(id);
      await fixture.end(id);
    }
    await until("Slack has failed often", async () => {
      await fixture.hurry();
      return fixture.slack.calls.length > 20;
    });
    const { servers } = fixture.api;
    await servers.query(
      "UPDATE outbox SET created_at = created_at - interval '1 h', not_before = now() + interval '5 min'",
      [],
    );
    fixture.slack.isAway = false;
    // One that is due finds out that Slack is back; all others follow it.
    await until("the first is sent", async () => {
      await servers.query("UPDATE notification_destinations SET not_before = NULL", []);
      await servers.query("UPDATE outbox SET not_before = now() WHERE id = (SELECT min(id) FROM outbox)", []);
      return (await state(ids[0] ?? "")).startsWith("sent");
    });
    await until("all are sent", async () =>
      (await Promise.all(ids.map(state))).every((one) => one === "sent sent"),
    );
    for (const id of ids) {
      expect(fixture.posted(id).map(({ text }) => text)).to.deep.equal([
        "Processing started (test)",
        "Analysis Complete (test)",
      ]);
    }
  });

  it("wait while the token or the channel is wrong, and are given up if Slack will never take them", async () => {
    const [waiting, refused] = [await submit(), await submit()];
    fixture.slack.disturb({ kind: "error", error: "not_in_channel" });
    await fixture.begin(waiting);
    await fixture.end(waiting);
    const { stop } = fixture.send();
    await until("it failed", async () => (await fixture.rows(waiting))[0]?.last_error !== null);
    expect((await fixture.rows(waiting))[0]).to.include({
      state: "pending",
      last_error: "chat.postMessage: not_in_channel",
      is_unsure: false,
    });
    await untilState(waiting, "sent");
    await stop();
    fixture.slack.disturb({ kind: "error", error: "invalid_blocks" });
    await fixture.begin(refused);
    await fixture.end(refused);
    fixture.send();
    await untilState(refused, "dead");
  });

  it("are inert: no text of a model, a tool or a sender makes a mention or a link, however long it is", async () => {
    const hostile = `<!channel> <!here> <@U123> <#C123> <http://x|y> & \u202eevil\u0000 ${"<&>".repeat(3_000)}`;
    const id = await submit();
    await fixture.begin(id);
    await fixture.end(id, "failed", { analysis: hostile.replace("\u0000", ""), error: "<!channel|x>" });
    fixture.send();
    await untilState(id, "sent");
    const [message] = fixture.posted(id);
    const texts = JSON.stringify(message?.blocks?.slice(0, 2));
    expect(texts).not.to.match(/[<>\u202e]/u);
    expect(texts).to.contain(
      "&lt;!channel&gt; &lt;!here&gt; &lt;@U123&gt; &lt;#C123&gt; &lt;http://x|y&gt; &amp; evil",
    );
    expect(message).to.deep.include({ text: "Analysis Failed (test)" });
    for (const block of message?.blocks ?? []) expect(JSON.stringify(block).length).to.be.lessThan(3_100);
    expect(texts).not.to.match(/&(?!amp;|lt;|gt;)/u);
  });

  it("are cut between characters and between escapes", () => {
    expect(escapeMrkdwn("a<b", 6)).to.equal("a&lt;b");
    expect(escapeMrkdwn("a<b", 5)).to.equal("a…");
    expect(escapeMrkdwn("ab😀cd", 4)).to.equal("ab…");
    for (let limit = 1; limit < 30; limit += 1) {
      const cut = escapeMrkdwn("x<😀>&y".repeat(5), limit);
      expect(cut.length).to.be.at.most(limit);
      expect(cut).not.to.match(/&(?!amp;|lt;|gt;)|[\ud800-\udbff](?![\udc00-\udfff])/u);
    }
  });

  it("are given back by an api that stops while Slack does not answer, and found by the next one", async () => {
    const id = await submit();
    await fixture.begin(id);
    await fixture.end(id);
    fixture.slack.disturb({ kind: "hang" });
    const { stop } = fixture.send();
    await until("it was posted", () => fixture.posted(id).length === 1);
    await stop();
    expect((await fixture.rows(id))[0]).to.include({ state: "pending", lease_token: null, is_unsure: true });
    fixture.send();
    await untilState(id, "sent");
    expect(fixture.posted(id)).to.have.length(1);
  });
});
