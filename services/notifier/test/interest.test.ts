import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { startNotifier, type RunningNotifier } from "../../../test/support/start-notifier.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: its subscriptions on the bus", () => {
  const resources = new AsyncDisposableStack();
  let fixture: NotifierFixture;
  let link: TcpProxy;
  let notifier: RunningNotifier;
  let delivered = "";

  before(async () => {
    fixture = resources.use(await NotifierFixture.start());
    const { servers } = fixture;
    const { nats, postgres } = servers;
    const rewrite = () => (bytes: Buffer) => {
      delivered += bytes.toString("latin1");
      return bytes;
    };
    link = resources.use(await TcpProxy.start({ host: "127.0.0.1", port: nats.port, rewrite }));
    const natsUrl = servers.natsUrl("notifier", link.port);
    const { signal } = new AbortController();
    const options = { databaseUrl: postgres.serviceUrls.notifier, natsUrl, signal };
    notifier = resources.use(await startNotifier(options));
  });
  after(async () => resources.disposeAsync());

  it("receives nothing of sessions without a watcher, or without one any more", async () => {
    const [watched, unwatched, left] = [
      await fixture.newSession(),
      await fixture.newSession(),
      await fixture.newSession(),
    ];
    using client = await TestClient.connect(notifier.url);
    using gone = await TestClient.connect(notifier.url);
    await client.subscribe(`session:${watched.id}`);
    await client.subscribe(`session:${left.id}`);
    await gone.subscribe(`session:${left.id}`);
    client.send({ action: "unsubscribe", channel: `session:${left.id}` });
    gone.socket.close();
    await gone.closed;
    await until("the feed of the session without watchers is closed", async () =>
      (await metricsOf(notifier)).includes("tarsy_ws_session_feeds 1\n"),
    );
    delivered = "";
    const eventId = randomUUID();
    for (const session of [unwatched, left, watched]) {
      await session.emit(session.opened(eventId));
      await session.chunk(eventId, 0, "text");
    }
    await client.until(() => client.textOf(eventId) === "text");
    expect(delivered).to.include(`MSG ${SUBJECTS.chunks(watched.id)} `);
    for (const { id } of [unwatched, left]) expect(delivered).not.to.include(id);
  });

  it("confirms a subscription made while the connection is lost once it is back", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(notifier.url);
    link.cut();
    client.send({ action: "subscribe", channel: `session:${session.id}`, after_seq: 0 });
    link.cut();
    await client.until(() => client.messages.length > 1);
    expect(client.messages[1]).to.include({ type: "subscription.confirmed", after_seq: 0 });
    await session.emit(session.status());
    await client.untilSeq(1);
  });

  it("confirms the channel sessions only while NATS is reachable", async () => {
    using early = await TestClient.connect(notifier.url);
    await early.subscribe("sessions");
    link.blackhole(true);
    link.cut();
    await until(
      "the notifier has noticed the outage",
      async () => !(await fetch(`${notifier.healthUrl}/readyz`)).ok,
    );
    using late = await TestClient.connect(notifier.url);
    late.send({ action: "subscribe", channel: "sessions" });
    await late.until(() => late.messages.length > 1);
    expect(late.messages[1]).to.include({ type: "error", channel: "sessions" });
    link.blackhole(false);
    await until("the notifier is ready again", async () => (await fetch(`${notifier.healthUrl}/readyz`)).ok);
    await late.subscribe("sessions");
    const session = await fixture.newSession();
    await session.emit(session.status());
    await Promise.all([early.untilSeq(1), late.untilSeq(1)]);
  });
});

async function metricsOf({ healthUrl }: RunningNotifier): Promise<string> {
  return (await fetch(`${healthUrl}/metrics`)).text();
}
