import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { repetitions } from "../../../test/support/nightly.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

const LARGE = "z".repeat(250_000);
/** Of each kind. */
const CLIENTS = repetitions({ daily: 10, nightly: 100 });
/** No client gets this many events that it does not read into what the kernel and the notifier keep for it. */
const MOST_UNREAD = 400;

describe("notifier: slow and fast clients", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
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
    const patient = await fixture.notifier({ slowReaderMs: 60_000 });
    const session = await fixture.newSession();
    using client = await TestClient.connect(patient.url);
    await client.subscribe(`session:${session.id}`);
    // The rest of the gap is more than is buffered for a client.
    client.socket.once("message", () => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 1_000);
    });
    await session.commit(...Array.from({ length: 60 }, () => session.whole(LARGE)));
    await session.emit(session.ended());
    await client.untilSeq(61);
    expect(client.seqs).to.deep.equal(upTo(61));
    await patient.stop();
  });

  it("waits for a client that reads its history slowly while it keeps reading", async () => {
    const generous = await fixture.notifier({ heartbeatMs: 6_000, drainTimeoutMs: 60_000 });
    const session = await fixture.newSession();
    await session.commit(...Array.from({ length: 60 }, () => session.whole(LARGE)));
    using client = await TestClient.connect(generous.url, { autoPong: false });
    // Once its history has begun it answers no ping, like a client whose pings are queued after data it has not read.
    client.socket.on("ping", () => {
      if (client.seqs.length === 0) client.socket.pong();
    });
    client.socket.on("message", () => {
      client.socket.pause();
      // The whole history takes several heartbeats.
      setTimeout(() => client.socket.resume(), 300);
    });
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
    let last = 0;
    do {
      for (let n = 0; n < 10; n += 1) await session.emit(session.whole(LARGE));
      last += 10;
      await live.untilSeq(last);
    } while ((await closedAsSlow(narrow.healthUrl)) === 0 && last < MOST_UNREAD);
    expect(await closedAsSlow(narrow.healthUrl)).to.equal(1);
    slow.socket.resume();
    expect((await slow.closed).code).to.be.oneOf([4008, 1006]);
    expect(live.seqs).to.deep.equal(upTo(last));
    await narrow.stop();
  });

  it(`serves ${CLIENTS} live clients next to ${CLIENTS} that stopped reading, which it closes with 4008`, async () => {
    // A client that is closed early reads the reason at the end of the test.
    const notifier = await fixture.notifier({ closeGraceMs: 120_000 });
    const session = await fixture.newSession();
    const connect = async () => {
      const client = await TestClient.connect(notifier.url);
      await client.subscribe(`session:${session.id}`);
      return client;
    };
    using clients = new DisposableStack();
    const paused = await Promise.all(Array.from({ length: CLIENTS }, connect));
    const live = await Promise.all(Array.from({ length: CLIENTS }, connect));
    for (const client of [...paused, ...live]) clients.use(client);
    const inDialect = clients.use(await TestClient.connect(notifier.url.replace("/ws", "/api/v1/ws")));
    await inDialect.subscribe(`session:${session.id}`);
    // It is live only once the time for a catchup is over.
    await session.emit(session.status());
    await inDialect.until(() => inDialect.of("session.status").length === 1);
    for (const { socket } of [...paused, inDialect]) socket.pause();
    const content = "y".repeat(60_000);
    let last = 1;
    do {
      // The live ones keep up, however slow the machine: less waits for them than makes a client slow.
      for (let n = 0; n < 10; n += 1) await session.emit(session.whole(content));
      last += 10;
      await Promise.all(live.map((client) => client.untilSeq(last)));
    } while ((await closedAsSlow(notifier.healthUrl)) <= CLIENTS && last < MOST_UNREAD);
    for (const client of live) expect(client.seqs).to.deep.equal(upTo(last));
    expect(await closedAsSlow(notifier.healthUrl)).to.equal(CLIENTS + 1);
    inDialect.socket.resume();
    expect(await inDialect.closed).to.deep.equal({
      code: 4008,
      reason:
        "reading too slowly: reconnect, subscribe and send catchup with last_event_id = your last db_event_id",
    });
    for (const client of paused) {
      client.socket.resume();
      expect(await client.closed).to.deep.equal({
        code: 4008,
        reason: "reading too slowly: reconnect and subscribe with after_seq = the last seq you have",
      });
      expect(client.seqs).to.deep.equal(upTo(client.seqs.length));
    }
    const [one] = paused;
    const got = one?.seqs.length ?? 0;
    expect(got).to.be.lessThan(last);
    using again = await TestClient.connect(notifier.url);
    await again.subscribe(`session:${session.id}`, { after_seq: got });
    await again.untilSeq(last);
    expect(again.seqs).to.deep.equal(upTo(last, got + 1));
    await notifier.stop();
  });

  it("sends no chunks to a slow client and the missing text when it reads on", async () => {
    const roomy = await fixture.notifier({
      chunkBufferBytes: 1,
      eventBufferBytes: 64 * 1024 * 1024,
      // The slow client reads nothing for longer than a heartbeat.
      heartbeatMs: 600_000,
    });
    const session = await fixture.newSession();
    using slow = await TestClient.connect(roomy.url);
    using live = await TestClient.connect(roomy.url);
    await slow.subscribe(`session:${session.id}`);
    await live.subscribe(`session:${session.id}`);
    const eventId = randomUUID();
    await session.emit(session.opened(eventId));
    slow.socket.pause();
    let last = 1;
    do {
      for (let n = 0; n < 10; n += 1) await session.emit(session.whole(LARGE));
      last += 10;
      // Chunks wait while events of this size are read from Postgres, and no process here answers for those that find no room.
      await live.untilSeq(last);
    } while ((await unsentBytes(roomy.healthUrl)) === 0 && last < MOST_UNREAD);
    const text = "abcdefghij".repeat(6_000);
    for (let offset = 0; offset < text.length; offset += 10) {
      await session.chunk(eventId, offset, text.slice(offset, offset + 10));
    }
    await live.until(() => live.textOf(eventId) === text);
    slow.socket.resume();
    await slow.until(() => slow.textOf(eventId) === text);
    expect(slow.of("stream.chunk").length).to.be.lessThan(100);
    await roomy.stop();
  });
});

/** How many clients the notifier has closed for reading too slowly. */
async function closedAsSlow(healthUrl: string): Promise<number> {
  return metric(healthUrl, /^tarsy_ws_closed_total\{code="4008"\} (\d+)$/mu);
}

/** What the notifier keeps for its clients; the kernel takes what comes before. */
async function unsentBytes(healthUrl: string): Promise<number> {
  return metric(healthUrl, /^tarsy_ws_buffered_bytes (\d+)$/mu);
}

async function metric(healthUrl: string, line: RegExp): Promise<number> {
  const metrics = await (await fetch(`${healthUrl}/metrics`)).text();
  return Number(line.exec(metrics)?.[1] ?? 0);
}
