import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../../test/support/until.ts";
import { CHANNEL, ListeningFixture, PEOPLE } from "./listening-fixture.ts";

describe("a mention in Slack", () => {
  let fixture: ListeningFixture;

  beforeEach(async () => {
    fixture = await ListeningFixture.start();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  it("takes its effect once under duplicates, another order, lost acks, cuts and recycles, with two apis", async () => {
    const { id, thread } = await fixture.sessionInThread();
    const { sockets } = fixture.slack;
    const unstored: string[] = [];
    sockets.onAck = (payload) => {
      const key = keyOf(payload);
      if (key === undefined) return;
      void fixture.api.servers
        .query("SELECT FROM external_events WHERE event_key = $1", [key])
        .then((rows) => rows.length === 0 && unstored.push(key));
    };
    await fixture.listen();
    await fixture.listen();
    sockets.faults.duplicates = true;
    sockets.faults.lostAcks = 5;
    const say = (n: number) => fixture.slack.mention(CHANNEL, PEOPLE.operator, `note ${n}`, { thread });
    for (let n = 0; n < 5; n += 1) say(n);
    sockets.faults.duplicates = false;
    sockets.faults.reordered = 6;
    for (let n = 5; n < 10; n += 1) say(n);
    await fixture.settled(10);
    sockets.cut();
    for (let n = 10; n < 15; n += 1) say(n);
    await fixture.settled(15);
    sockets.recycle();
    for (let n = 15; n < 20; n += 1) say(n);
    await fixture.settled(20);
    const notes = (await fixture.notes(id)).map((row) => contentOf(row));
    expect(notes.toSorted()).to.deep.equal(Array.from({ length: 20 }, (_, n) => `note ${n}`).toSorted());
    expect(unstored).to.deep.equal([]);
  });

  it("is found in the thread if Slack could not deliver it", async () => {
    const { id, thread } = await fixture.sessionInThread();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "while no api listened", { thread, isDelivered: false });
    await fixture.listen();
    await fixture.settled(1);
    expect(await fixture.notes(id)).to.have.length(1);
  });

  it("is found in the thread although another thread is gone", async () => {
    const { id, thread } = await fixture.sessionInThread();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "while no api listened", { thread, isDelivered: false });
    await fixture.sessionInThread();
    fixture.slack.disturbMethod("conversations.replies", { kind: "error", error: "channel_not_found" });
    await fixture.listen();
    await fixture.settled(1);
    expect(await fixture.notes(id)).to.have.length(1);
  });

  it("is taken once Slack lets the api connect, which waits as long as Slack says", async () => {
    const { id, thread } = await fixture.sessionInThread();
    const headers = { "retry-after": "2" };
    fixture.slack.disturbMethod("apps.connections.open", { kind: "status", status: 429, headers });
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "a note", { thread });
    await fixture.settled(1);
    expect(await fixture.notes(id)).to.have.length(1);
    const [first, second] = fixture.slack.calls.filter(({ method }) => method === "apps.connections.open");
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).to.be.at.least(1_950);
  });

  it("has its answers later where Slack has refused the token, which is not tried meanwhile", async () => {
    const { id, thread } = await fixture.sessionInThread();
    const refusedMs = 1_500;
    await fixture.listen({ refusedMs });
    const calls = (...methods: string[]) =>
      fixture.slack.calls.filter(({ method }) => methods.includes(method));
    fixture.slack.disturbMethod("reactions.add", { kind: "error", error: "token_revoked" });
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "a note", { thread });
    await until("Slack refuses", () => calls("reactions.add").length === 1);
    fixture.slack.mention(CHANNEL, PEOPLE.stranger, "hello", { thread });
    await until("it is tried again", () => calls("chat.postEphemeral").length === 1);
    const [refused, next] = calls("reactions.add", "chat.postEphemeral");
    expect((next?.atMs ?? 0) - (refused?.atMs ?? 0)).to.be.at.least(refusedMs - 50);
    await fixture.api.servers.query(
      "UPDATE external_events SET lease_expires_at = now() WHERE lease_token IS NOT NULL",
      [],
    );
    await fixture.settled(2);
    expect(fixture.slack.workspace.reactions.map(({ name }) => name)).to.deep.equal(["eyes"]);
    expect(await fixture.notes(id)).to.have.length(1);
  });

  it("is done by another api if the first one dies with it", async () => {
    const { id, thread } = await fixture.sessionInThread();
    // What a killed process leaves.
    await fixture.api.servers.query(
      `INSERT INTO external_events (source, event_key, ordering_key, kind, actor, payload, occurred_at, lease_token, lease_expires_at)
       VALUES ('slack', 'C0123456789:1.0', $1, 'mention', $2, $3, now(), gen_random_uuid(), now() + interval '1 h')`,
      [
        `${CHANNEL}:${thread}`,
        PEOPLE.operator,
        JSON.stringify({
          kind: "mention",
          channel: CHANNEL,
          thread,
          ts: thread,
          text: "first",
          is_reply: true,
        }),
      ],
    );
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "second", { thread });
    await until("the second is stored", async () => (await fixture.events()).length === 2);
    expect(await fixture.notes(id)).to.deep.equal([]);
    await fixture.api.servers.query(
      "UPDATE external_events SET lease_expires_at = now() - interval '1 s' WHERE lease_token IS NOT NULL",
      [],
    );
    await fixture.settled(2);
    expect((await fixture.notes(id)).map((row) => contentOf(row))).to.deep.equal(["first", "second"]);
  });
});

const parseMention = compileParser(
  "envelope",
  Type.Object({ event: Type.Object({ type: Type.String(), channel: Type.String(), ts: Type.String() }) }),
);
const parseNote = compileParser("note", Type.Object({ content: Type.String() }));

function contentOf(row: unknown): string {
  return parseNote(row).content;
}

/** The key of a mention; undefined for another event. */
function keyOf(payload: object): string | undefined {
  const { event } = parseMention(payload);
  return event.type === "app_mention" ? `${event.channel}:${event.ts}` : undefined;
}
