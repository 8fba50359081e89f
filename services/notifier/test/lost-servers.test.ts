import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: when its servers go away", () => {
  let fixture: NotifierFixture;
  let url: string;
  let healthUrl: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url, healthUrl } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const readiness = async () => (await fetch(`${healthUrl}/readyz`)).status;

  it("is ready, and shows its metrics", async () => {
    expect(await readiness()).to.equal(200);
    expect(await (await fetch(`${healthUrl}/metrics`)).text()).to.include("tarsy_ws_connections");
  });

  it("delivers what happened while NATS was away, once and in order, and goes on live", async () => {
    const session = await fixture.newSession();
    const eventId = randomUUID();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await session.emit(session.status());
    await client.untilSeq(1);
    await fixture.servers.killNats();
    await session.commit(session.whole("unheard"));
    // By the numbers in Postgres, even before NATS is back.
    await client.untilSeq(2);
    expect(await readiness()).to.equal(503);
    await session.commit(session.opened(eventId));
    await fixture.servers.restartNats();
    await until("the notifier is ready again", async () => (await readiness()) === 200);
    await until("the test's own connection is back", () => fixture.bus.check().then(() => true));
    await session.chunk(eventId, 0, "live again");
    await session.emit(session.whole("live"), session.ended());
    await client.untilSeq(5);
    expect(client.seqs).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("survives a restart of Postgres and fills what it could not read", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    const [one, two] = await session.commit(session.status(), session.whole("one"));
    await fixture.servers.stopPostgres();
    using late = await TestClient.connect(url);
    late.send({ action: "subscribe", channel: `session:${session.id}`, after_seq: 0 });
    await fixture.servers.restartPostgres();
    await Promise.all([client.untilSeq(2), late.untilSeq(2)]);
    await until("the test's own pool is back", async () => (await session.emit(session.ended())).length);
    await Promise.all([client.untilSeq(3), late.untilSeq(3)]);
    expect(client.seqs).to.deep.equal([one?.seq, two?.seq, 3]);
    expect(late.seqs).to.deep.equal([1, 2, 3]);
    expect(late.of("subscription.confirmed")).to.have.length(1);
  });
});
