import { expect } from "chai";
import { postgresTap } from "../../../test/support/postgres-tap.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import type { NotifierLimits } from "../limits.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

const CLIENTS = 100;
const READ = /FROM events\b/u;

describe("notifier: many clients that return at once", () => {
  let fixture: NotifierFixture;
  let proxy: TcpProxy;
  /** Reads of events since the start of the test. */
  let eventReads = 0;
  /** Those whose answers have not arrived yet, now and at most. */
  let [underWay, most] = [0, 0];
  /** What a read of events waits for before it reaches Postgres. */
  let gate: Promise<void> | undefined;

  before(async () => {
    fixture = await NotifierFixture.start();
    proxy = await TcpProxy.start({
      host: "127.0.0.1",
      port: Number(new URL(fixture.servers.postgres.url).port),
      tap: () =>
        postgresTap({
          asked: (sql) => {
            if (!READ.test(sql)) return "forward";
            eventReads += 1;
            underWay += 1;
            most = Math.max(most, underWay);
            return gate === undefined ? "forward" : { after: gate };
          },
          answered: (sql) => {
            if (READ.test(sql)) underWay -= 1;
            return "forward";
          },
        }),
    });
  });
  beforeEach(() => {
    [eventReads, most] = [0, 0];
    gate = undefined;
  });
  after(async () => {
    await fixture[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  /** A notifier whose statements pass the proxy. */
  const startNotifier = async (limits: Partial<NotifierLimits> = {}) => {
    const url = new URL(fixture.servers.postgres.serviceUrls.notifier);
    url.port = String(proxy.port);
    return fixture.notifier(limits, undefined, url.href);
  };

  /** Adds events to the sessions one after another until stopped; resolves with the number of each. */
  const keepWriting = (sessions: readonly TestSession[], start: number) => {
    const stop = new AbortController();
    const write = async () => {
      let last = start;
      for (; !stop.signal.aborted; last += 1) {
        for (const session of sessions) await session.write(session.whole(`live ${last}`));
      }
      return last;
    };
    const written = write();
    return {
      stop: async () => {
        stop.abort();
        return written;
      },
    };
  };

  const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, n) => n + from);

  it(`reads the history once for ${CLIENTS} clients of a session, to which events are added meanwhile`, async () => {
    const notifier = await startNotifier();
    const session = await fixture.newSession();
    const stored = await session.commit(
      ...Array.from({ length: 230 }, (_, n) => session.whole(`event ${n}`)),
    );
    using clients = new DisposableStack();
    const connected = await Promise.all(
      Array.from({ length: CLIENTS }, async () => clients.use(await TestClient.connect(notifier.url))),
    );
    const writing = keepWriting([session], 230);
    const channel = `session:${session.id}`;
    const cursors = connected.map((_, index) => (index < CLIENTS / 2 ? 0 : 2 * index));
    await Promise.all(
      connected.map(async (client, index) => {
        const after_seq = cursors[index] ?? 0;
        const cursor =
          index % 5 === 0 && after_seq > 0
            ? { last_event_id: stored[after_seq - 1]?.db_event_id }
            : { after_seq };
        await client.subscribe(channel, cursor);
        await client.untilSeq(231);
      }),
    );
    const last = await writing.stop();
    await Promise.all(connected.map((client) => client.untilSeq(last)));
    for (const [index, client] of connected.entries()) {
      expect(client.seqs).to.deep.equal(upTo(last, (cursors[index] ?? 0) + 1));
    }
    // Ten of the clients have cursors of their own, which are looked up one by one.
    expect(eventReads).to.be.lessThan(30);
    await notifier.stop();
  });

  it("reads nothing for clients whose events are in memory", async () => {
    const notifier = await startNotifier();
    const session = await fixture.newSession();
    const channel = `session:${session.id}`;
    using watcher = await TestClient.connect(notifier.url);
    await watcher.subscribe(channel);
    const events = await session.emit(...Array.from({ length: 50 }, (_, n) => session.whole(`event ${n}`)));
    await watcher.untilSeq(50);
    using bySeq = await TestClient.connect(notifier.url);
    using byId = await TestClient.connect(notifier.url);
    using replayed = await TestClient.connect(notifier.url);
    eventReads = 0;
    await bySeq.subscribe(channel, { after_seq: 10 });
    await byId.subscribe(channel, { last_event_id: events[19]?.db_event_id });
    replayed.send({ action: "catchup", channel, last_event_id: events[29]?.db_event_id });
    await Promise.all([bySeq, byId, replayed].map((client) => client.untilSeq(50)));
    expect(bySeq.seqs).to.deep.equal(upTo(50, 11));
    expect(byId.seqs).to.deep.equal(upTo(50, 21));
    expect(replayed.seqs).to.deep.equal(upTo(50, 31));
    expect(eventReads).to.equal(0);
    await notifier.stop();
  });

  it("keeps every client exact with hardly any memory, slow readers and large events", async () => {
    const notifier = await startNotifier({ recentEvents: 3, keptBytes: 300_000, chunkBufferBytes: 32_000 });
    const sessions = [await fixture.newSession(), await fixture.newSession(), await fixture.newSession()];
    for (const session of sessions) {
      const sizes = Array.from({ length: 120 }, (_, n) => (n % 10 === 7 ? 200_000 : 200));
      await session.commit(...sizes.map((size) => session.whole("z".repeat(size))));
    }
    const writing = keepWriting(sessions, 120);
    using clients = new DisposableStack();
    const connected = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const client = clients.use(await TestClient.connect(notifier.url));
        const session = sessions[index % 3];
        const after_seq = (index * 7) % 120;
        if (index % 4 === 0) {
          client.socket.on("message", () => {
            client.socket.pause();
            setImmediate(() => client.socket.resume());
          });
        }
        client.send({ action: "subscribe", channel: `session:${session?.id}`, after_seq });
        await client.untilSeq(121);
        return { client, after_seq };
      }),
    );
    const last = await writing.stop();
    for (const { client, after_seq } of connected) {
      await client.untilSeq(last);
      expect(client.seqs).to.deep.equal(upTo(last, after_seq + 1));
    }
    await notifier.stop();
  });

  it("keeps reads that wait for their turn from waiting for a connection, which would look like an outage of Postgres", async () => {
    const notifier = await startNotifier({ concurrentReads: 1 });
    const sessions = await Promise.all(Array.from({ length: 24 }, async () => fixture.newSession()));
    for (const session of sessions) await session.commit(session.status(), session.ended());
    using client = await TestClient.connect(notifier.url);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    subscribeToAll(client, sessions);
    await until(
      "all others wait",
      async () =>
        (await metric(notifier.healthUrl, "tarsy_ws_database_reads_waiting")) >= sessions.length - 1,
    );
    open();
    await client.until(() => client.of("session.completed").length === sessions.length);
    expect(client.of("error")).to.deep.equal([]);
    expect(client.seqs).to.have.length(2 * sessions.length);
    expect(await metric(notifier.healthUrl, "tarsy_ws_database_reads_failed_total")).to.equal(0);
    expect(most).to.equal(1);
    await notifier.stop();
  });

  it("answers subscriptions with an error while too many reads wait", async () => {
    const notifier = await startNotifier({ concurrentReads: 1, waitingReads: 2 });
    const sessions = await Promise.all(Array.from({ length: 8 }, async () => fixture.newSession()));
    using client = await TestClient.connect(notifier.url);
    proxy.setDelay(100);
    subscribeToAll(client, sessions);
    const answered = () => [...client.of("error"), ...client.of("subscription.confirmed")];
    await client.until(() => answered().length === sessions.length);
    proxy.setDelay(0);
    expect(client.of("subscription.confirmed")).to.not.deep.equal([]);
    const [refused] = client.of("error");
    expect(refused?.["message"]).to.match(/too many clients are catching up.*subscribe again in a moment$/u);
    await client.subscribe(String(refused?.["channel"]), { after_seq: 0 });
    await notifier.stop();
  });
});

/** Subscribes without waiting for the confirmations. */
function subscribeToAll(client: TestClient, sessions: readonly TestSession[]): void {
  for (const { id } of sessions) {
    client.send({ action: "subscribe", channel: `session:${id}`, after_seq: 0 });
  }
}

/** The value of a metric without labels. */
async function metric(healthUrl: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${healthUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(metrics)?.[1]);
}
