import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: while NATS or Postgres is unavailable", () => {
  let fixture: NotifierFixture;
  let url: string;
  let healthUrl: string;

  before(async () => {
    fixture = await NotifierFixture.start({ ownServers: true });
    ({ url, healthUrl } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const readiness = async () => (await fetch(`${healthUrl}/readyz`)).status;

  it("is ready and serves its metrics", async () => {
    expect(await readiness()).to.equal(200);
    expect(await (await fetch(`${healthUrl}/metrics`)).text()).to.include("tarsy_ws_connections");
  });

  it("delivers the events of a NATS outage once and in order, then continues live", async () => {
    const session = await fixture.newSession();
    const eventId = randomUUID();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "before, ");
    await client.until(() => client.textOf(eventId) === "before, ");
    await fixture.servers.killNats();
    await session.commit(session.whole("missed"));
    // Found by polling Postgres, before NATS is back.
    await client.untilSeq(2);
    expect(await readiness()).to.equal(503);
    await session.commit(session.whole("missed, too"));
    await fixture.servers.restartNats();
    await until("the notifier is ready again", async () => (await readiness()) === 200);
    await until("the test's connection is back", () => fixture.bus.check().then(() => true));
    const text = "before, meanwhile, and live again";
    using _ = await session.answerSnapshots(({ offset = 0 }) => ({
      event_id: eventId,
      repeated: false,
      attempt: 1,
      offset,
      text: text.slice(offset),
      length: text.length,
    }));
    await session.chunk(eventId, text.length - 5, "again");
    await client.until(() => client.textOf(eventId) === text);
    await session.emit(session.whole("live"), session.ended());
    await client.untilSeq(5);
    expect(client.seqs).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("survives a restart of Postgres and then reads the missed events", async () => {
    const session = await fixture.newSession();
    const other = await fixture.newSession();
    await other.commit(other.status(), other.ended());
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    const [one, two] = await session.commit(session.status(), session.whole("one"));
    expect([one?.seq, two?.seq]).to.deep.equal([1, 2]);
    await fixture.servers.stopPostgres();
    using late = await TestClient.connect(url);
    late.send({ action: "subscribe", channel: `session:${other.id}`, after_seq: 0 });
    late.send({ action: "ping" });
    await late.until(() => late.of("pong").length === 1);
    await fixture.servers.restartPostgres();
    await Promise.all([client.untilSeq(2), late.untilSeq(2)]);
    await until("the test's pool is back", async () => (await session.emit(session.ended())).length);
    await client.untilSeq(3);
    expect(client.seqs).to.deep.equal([1, 2, 3]);
    expect(late.messages.slice(1).map(({ type }) => type)).to.deep.equal([
      "pong",
      "subscription.confirmed",
      "session.status",
      "session.completed",
    ]);
  });
});
