import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { request, serveRequests } from "#shared/bus/request.ts";
import { subscribe, untilSubscribed } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-signals.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { TcpProxy, type TapDecision } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";

const HOST = "127.0.0.1";
const { signal } = new AbortController();
/** Shorter than in production. */
const TIMING = { pingMs: 2_000, dialMs: 1_500 };
/** A client with a second dial loop loses its connection within this many pings. */
const PINGS_OBSERVED = 4;
const CANCEL = { request: sessionCancelCodec, reply: sessionCancelCodec };

/** A bus behind a link that can be broken, and what went over it. */
interface Linked extends AsyncDisposable {
  readonly bus: Bus;
  readonly proxy: TcpProxy;
  readonly logged: string[];
  /** While true, everything on the link is lost without a trace, also on new connections. */
  dropsAll: boolean;
  pings: number;
  losses: number;
}

describe("a bus whose connection breaks", () => {
  let servers: BackingServers;

  before(async () => {
    servers = await BackingServers.start();
  });
  after(() => servers[Symbol.asyncDispose]());

  const open = async (name: string): Promise<Linked> => {
    const resources = new AsyncDisposableStack();
    const logged: string[] = [];
    const log = pino(
      { level: "debug", messageKey: "message" },
      {
        write: (line: string) => {
          logged.push(line);
          if (line.includes("NATS connection lost")) linked.losses += 1;
        },
      },
    );
    const tap = () => ({
      fromClient: (bytes: Buffer): TapDecision => {
        if (linked.dropsAll) return "hold";
        if (bytes.toString("latin1").endsWith("PING\r\n")) linked.pings += 1;
        return "forward";
      },
      fromServer: (): TapDecision => (linked.dropsAll ? "hold" : "forward"),
    });
    const proxy = resources.use(await TcpProxy.start({ host: HOST, port: servers.nats.port, tap }));
    const linked = { proxy, logged, dropsAll: false, pings: 0, losses: 0 };
    const url = servers.natsUrl("test", proxy.port);
    const bus = resources.use(await openBus({ url, name, log, signal, timing: TIMING }));
    return Object.assign(linked, { bus, [Symbol.asyncDispose]: async () => resources.disposeAsync() });
  };

  const untilTwoDialsFailed = async ({ logged }: Linked) =>
    until(
      "two dials have failed",
      () => logged.filter((line) => line.includes("cannot be used")).length >= 2,
    );

  /** Waits until the client has one connection and nothing else is open, and checks that this stays so. */
  const expectHealed = async (linked: Linked, name: string) => {
    let cid = 0;
    await until("there is one connection", async () => {
      const clients = await servers.natsClients();
      cid = clients[0]?.cid ?? 0;
      return linked.bus.isConnected() && clients.length === 1 && clients[0]?.name === name;
    });
    const { losses, pings } = linked;
    await until("pings were answered", async () => {
      const clients = await servers.natsClients();
      expect(clients.map((client) => ({ cid: client.cid, name: client.name }))).to.deep.equal([
        { cid, name },
      ]);
      return linked.pings >= pings + PINGS_OBSERVED;
    });
    expect(linked.losses).to.equal(losses);
    await linked.bus.check();
  };

  it("heals after the server was frozen, although its last messages could not be sent", async () => {
    await using linked = await open("frozen");
    const { bus } = linked;
    const heard: string[] = [];
    const subject = `test.${randomUUID()}`;
    const cancel = { session_id: randomUUID() };
    const subscription = subscribe(bus, subject, sessionCancelCodec, ({ session_id }) =>
      heard.push(session_id),
    );
    await subscription.live();
    servers.freezeNats();
    try {
      const large = new Uint8Array(512 * 1024);
      for (let sent = 0; sent < 64; sent++) bus.connection.publish("test.large", large);
      const flushed = rejectionOf(bus.flush());
      await until("the loss is noticed", () => linked.losses === 1);
      await flushed;
      expect(bus.isConnected()).to.equal(false);
      expect(await rejectionOf(bus.check())).to.equal("NATS is not connected");
      expect(() => bus.connection.publish(subject, sessionCancelCodec.encode(cancel))).to.throw(
        "CONNECTION_CLOSED",
      );
      expect(await rejectionOf(request(bus, subject, CANCEL, cancel, 60_000))).to.include(
        "CONNECTION_CLOSED",
      );
      await untilTwoDialsFailed(linked);
    } finally {
      servers.thawNats();
    }
    await expectHealed(linked, "frozen");
    bus.connection.publish(subject, sessionCancelCodec.encode(cancel));
    await until("the subscription is active again", () => heard.length > 0);
    expect(heard).to.deep.equal([cancel.session_id]);
  });

  it("heals after new connections were accepted and stayed silent", async () => {
    await using linked = await open("silent");
    linked.proxy.blackhole(true);
    await untilTwoDialsFailed(linked);
    linked.proxy.blackhole(false);
    await expectHealed(linked, "silent");
  });

  it("heals after a partition in which everything was lost", async () => {
    await using linked = await open("partition");
    linked.dropsAll = true;
    await untilTwoDialsFailed(linked);
    linked.dropsAll = false;
    await expectHealed(linked, "partition");
  });

  it("takes another of its servers if one is silent", async () => {
    await using silent = await TcpProxy.start({ host: HOST, port: servers.nats.port });
    silent.blackhole(true);
    await using linked = await open("first");
    const log = pino({ level: "silent" });
    const url = `${servers.natsUrl("test", silent.port)},nats://${HOST}:${linked.proxy.port}`;
    // The first server is a random one.
    const buses = await Promise.all(
      Array.from({ length: 6 }, async () => openBus({ url, name: "several", log, signal, timing: TIMING })),
    );
    const reconnected = buses.map(async (bus) => new Promise<void>((resolve) => bus.onReconnect(resolve)));
    linked.proxy.cut();
    await Promise.all(reconnected);
    for (const bus of buses) {
      await bus.check();
      await bus[Symbol.asyncDispose]();
    }
  });

  it("makes its subscriptions again before it reports the reconnect", async () => {
    await using linked = await open("subscriber");
    await using other = await open("publisher");
    const subject = `test.${randomUUID()}`;
    const heard: string[] = [];
    subscribe(linked.bus, subject, sessionCancelCodec, ({ session_id }) => heard.push(session_id));
    const gone = subscribe(linked.bus, subject, sessionCancelCodec, () => heard.push("unsubscribed"));
    const ids = Array.from({ length: 5 }, () => randomUUID());
    gone.unsubscribe();
    for (const id of ids) {
      const reconnected = new Promise<void>((resolve) => linked.bus.onReconnect(resolve));
      linked.proxy.cut();
      await reconnected;
      other.bus.connection.publish(subject, sessionCancelCodec.encode({ session_id: id }));
      await until("it is heard", () => heard.includes(id));
    }
    expect(heard).to.deep.equal(ids);
  });

  it("waits for the next connection with a subscription that is made on one that is lost", async () => {
    await using linked = await open("starting");
    await using other = await open("asking");
    linked.proxy.cut();
    const subject = `test.${randomUUID()}`;
    const served = serveRequests(linked.bus, { subject }, CANCEL, (value) => value);
    await untilSubscribed(linked.bus, signal);
    expect(linked.losses).to.equal(1);
    const value = { session_id: randomUUID() };
    expect(await request(other.bus, subject, CANCEL, value, 60_000)).to.deep.equal(value);
    served.unsubscribe();
    linked.proxy.cut();
    await until("the loss is noticed", () => linked.losses === 2);
    const why = new Error("the service stops");
    expect(await rejectionOf(untilSubscribed(linked.bus, AbortSignal.abort(why)))).to.equal(why.message);
  });

  it("answers a request on its new connection", async () => {
    await using linked = await open("server");
    await using other = await open("client");
    const subject = `test.${randomUUID()}`;
    const asked = Promise.withResolvers<void>();
    const work = Promise.withResolvers<void>();
    const served = serveRequests(linked.bus, { subject }, CANCEL, async (value) => {
      asked.resolve();
      await work.promise;
      return value;
    });
    await served.live();
    const value = { session_id: randomUUID() };
    const answer = request(other.bus, subject, CANCEL, value, 60_000);
    await asked.promise;
    const reconnected = new Promise<void>((resolve) => linked.bus.onReconnect(resolve));
    linked.proxy.cut();
    await reconnected;
    work.resolve();
    expect(await answer).to.deep.equal(value);
  });

  it("acknowledges a delivery on a new connection to the same server", async () => {
    await using linked = await open("executor");
    const { bus } = linked;
    await ensureStreams(bus, { replicas: 1 });
    await ensureDurables(bus, { maxSessions: 1, maxFollowups: 2 });
    const id = randomUUID();
    await wakeSession(bus, id);
    const delivery = await pullSession(bus, SESSIONS_QUEUE, signal);
    expect(delivery?.sessionId).to.equal(id);
    const pulling = pullSession(bus, SESSIONS_QUEUE, signal);
    linked.proxy.cut();
    expect(await pulling).to.equal(null);
    await bus.untilConnected(signal);
    delivery?.working();
    await delivery?.ack();
    expect(await wakeSession(bus, id)).to.equal("queued");
  });

  it("leaves no connection behind when it is disposed while it dials", async () => {
    const linked = await open("leaver");
    linked.proxy.blackhole(true);
    linked.bus.connection.close().catch(() => undefined);
    await until("it dials", () => linked.losses === 1);
    await linked.bus[Symbol.asyncDispose]();
    expect(await rejectionOf(linked.bus.untilConnected(signal))).to.equal("the connection to NATS is closed");
    linked.proxy.blackhole(false);
    await until("no connection is left", async () => (await servers.natsClients()).length === 0);
    await linked[Symbol.asyncDispose]();
  });
});
