import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

const LARGE = "z".repeat(250_000);

describe("notifier: slow and fast clients", () => {
  let fixture: NotifierFixture;
  let url: string;
  let healthUrl: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url, healthUrl } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, n) => n + from);

  it("sends a history of large events to a reading client without closing it as too slow", async () => {
    const session = await fixture.newSession();
    await session.commit(...Array.from({ length: 60 }, () => session.whole(LARGE)));
    using subscriber = await TestClient.connect(url);
    await subscriber.subscribe(`session:${session.id}`, { after_seq: 0 });
    using replayed = await TestClient.connect(url);
    replayed.send({ action: "catchup", channel: `session:${session.id}`, last_event_id: 0 });
    await Promise.all([subscriber.untilSeq(60), replayed.untilSeq(60)]);
    expect(subscriber.seqs).to.deep.equal(upTo(60));
    expect(replayed.seqs).to.deep.equal(upTo(60));
  });

  it("fills a gap of many large events for live clients without closing them as too slow", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await session.commit(...Array.from({ length: 60 }, () => session.whole(LARGE)));
    await session.emit(session.ended());
    await client.untilSeq(61);
    expect(client.seqs).to.deep.equal(upTo(61));
  });

  it("waits for a client that reads its history slowly while it keeps reading", async () => {
    const generous = await fixture.notifier({ heartbeatMs: 750, drainTimeoutMs: 20_000 });
    const session = await fixture.newSession();
    await session.commit(...Array.from({ length: 60 }, () => session.whole(LARGE)));
    using client = await TestClient.connect(generous.url, { autoPong: false });
    client.socket.on("message", () => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 50);
    });
    // Answers no ping, like a client whose pings are queued after data it has not read.
    await client.subscribe(`session:${session.id}`, { after_seq: 0 });
    await client.untilSeq(50);
    expect(client.seqs).to.deep.equal(upTo(50));
    await generous.stop();
  });

  it("closes the clients with the most unread bytes when all together exceed the limit", async () => {
    const narrow = await fixture.notifier({
      eventBufferBytes: 64 * 1024 * 1024,
      totalBufferBytes: 16 * 1024 * 1024,
    });
    const session = await fixture.newSession();
    using slow = await TestClient.connect(narrow.url);
    using live = await TestClient.connect(narrow.url);
    await slow.subscribe(`session:${session.id}`);
    await live.subscribe(`session:${session.id}`);
    slow.socket.pause();
    for (let n = 1; n <= 120; n += 1) await session.emit(session.whole(LARGE));
    await live.untilSeq(120);
    await until4008(`${narrow.healthUrl}/metrics`);
    slow.socket.resume();
    expect((await slow.closed).code).to.be.oneOf([4008, 1006]);
    expect(live.seqs).to.deep.equal(upTo(120));
    await narrow.stop();
  });

  it("serves 100 live clients next to 100 that stopped reading, which it closes with 4008", async () => {
    const session = await fixture.newSession();
    const connect = async () => {
      const client = await TestClient.connect(url);
      await client.subscribe(`session:${session.id}`);
      return client;
    };
    using clients = new DisposableStack();
    const paused = await Promise.all(Array.from({ length: 100 }, connect));
    const live = await Promise.all(Array.from({ length: 100 }, connect));
    for (const client of [...paused, ...live]) clients.use(client);
    for (const { socket } of paused) socket.pause();
    const content = "y".repeat(60_000);
    for (let n = 0; n < 110; n += 1) await session.emit(session.whole(content));
    await Promise.all(live.map((client) => client.untilSeq(110)));
    for (const client of live) expect(client.seqs).to.deep.equal(upTo(110));
    const metrics = await (await fetch(`${healthUrl}/metrics`)).text();
    expect(metrics).to.match(/tarsy_ws_closed_total\{code="4008"\} 100\b/u);
    for (const client of paused) {
      client.socket.resume();
      expect((await client.closed).code).to.equal(4008);
      expect(client.seqs).to.deep.equal(upTo(client.seqs.length));
    }
    const [one] = paused;
    const got = one?.seqs.length ?? 0;
    expect(got).to.be.lessThan(110);
    using again = await TestClient.connect(url);
    await again.subscribe(`session:${session.id}`, { after_seq: got });
    await again.untilSeq(110);
    expect(again.seqs).to.deep.equal(upTo(110, got + 1));
  });
});

/** Waits until the metrics count one client closed with 4008. */
async function until4008(metricsUrl: string): Promise<void> {
  await until("a client is closed with 4008", async () =>
    (await (await fetch(metricsUrl)).text()).includes('tarsy_ws_closed_total{code="4008"} 1'),
  );
}
