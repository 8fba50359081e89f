import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { readRefusedStreams } from "#shared/bus/refused-streams.ts";
import { EVENTS_STREAM, FOLLOWUPS_STREAM, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { SmallDisks, canMountDisks, fillDisk, freeDisk } from "../../../test/support/small-disks.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { ApiFixture } from "./api-fixture.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });
const STREAMS = [SESSIONS_STREAM, FOLLOWUPS_STREAM, EVENTS_STREAM];
const SWEEP_MS = 100;

describe("streams that take no message", () => {
  let resources: AsyncDisposableStack;
  let servers: BackingServers;
  let bus: Bus;

  const start = async (sizes: Readonly<Record<string, string>> = {}) => {
    const disks = new SmallDisks();
    const prepare = (directory: string) => disks.mount(directory, sizes);
    servers = resources.use(await BackingServers.start({ prepare }));
    // Before the servers' directory is removed.
    resources.use(disks);
    bus = resources.use(await openBus({ url: servers.nats.url, name: "test", log, signal }));
  };
  const created = async () =>
    Promise.all(STREAMS.map(async (stream) => (await bus.jsm.streams.info(stream)).created));
  const startApi = async (env: Record<string, string> = {}): Promise<ApiFixture> => {
    const api = resources.use(await ApiFixture.start({ servers, env }));
    await until("the streams exist", created);
    return api;
  };
  const health = async (api: ApiFixture) => JSON.stringify((await api.client.request("GET", "/health")).body);
  const remade = async (apis: readonly ApiFixture[]) => {
    const counts = await Promise.all(
      apis.map(async ({ deps }) => (await deps.metrics.streamsRemade.get()).values),
    );
    return (stream: string) =>
      counts.flat().reduce((sum, one) => sum + (one.labels.stream === stream ? one.value : 0), 0);
  };

  beforeEach(() => (resources = new AsyncDisposableStack()));
  afterEach(() => resources.disposeAsync());

  if (canMountDisks()) {
    const refuseAll = async () => {
      const directory = join(servers.directory, "nats");
      await fillDisk(directory);
      await until("every stream takes no message", async () => {
        for (let n = 0; n < 200; n += 1) {
          const id = crypto.randomUUID();
          const [follow, wake] = [SUBJECTS.wakeUp("followup", id), SUBJECTS.wakeUp("low", id)];
          for (const subject of [follow, wake, SUBJECTS.events(id)]) bus.connection.publish(subject, "{}");
        }
        await bus.flush();
        return (await readRefusedStreams(bus)).refused.length === STREAMS.length;
      });
      await freeDisk(directory);
    };

    it("are reported and made anew by one of several apis, once each", async () => {
      await start({ nats: "24m" });
      const apis = [await startApi(), await startApi()];
      const [first] = apis;
      if (first === undefined) throw new Error("no api");
      await refuseAll();
      expect((await readRefusedStreams(bus)).refused.map(({ stream }) => stream)).to.deep.equal(STREAMS);
      const before = await created();
      // Not earlier: one that is refused before the others would be made anew before them.
      for (const api of apis) api.sweep(SWEEP_MS);
      await until("health tells of it", async () => /SESSIONS takes no message/u.test(await health(first)));
      const id = await first.client.submit("x");
      await until("the stream holds the wake-up", async () => (await queuedSessions(bus)).has(id));
      await until("health is whole again", async () => (await health(first)).includes('"status":"healthy"'));
      const after = await created();
      expect(after.every((at, index) => at !== before[index])).to.equal(true);
      const count = await remade(apis);
      expect(STREAMS.map(count)).to.deep.equal([1, 1, 1]);
      expect(await readRefusedStreams(bus)).to.deep.equal({ refused: [], isOneMissing: false });
    });

    it("are followed by streams in which no acknowledgement of their messages counts", async () => {
      await start({ nats: "24m" });
      const api = await startApi();
      const old = await api.client.submit("x");
      await wakeSession(bus, old);
      const delivery = await until("the session is delivered", () =>
        pullSession(bus, SESSIONS_QUEUE, signal),
      );
      expect(delivery.sessionId).to.equal(old);
      const before = (await bus.jsm.streams.info(SESSIONS_STREAM)).state.last_seq;
      await refuseAll();
      api.sweep(SWEEP_MS);
      await until("the stream is made anew", async () => (await remade([api]))(SESSIONS_STREAM) === 1);
      await until("its wake-up is there", async () => (await queuedSessions(bus)).has(old));
      const { state } = await bus.jsm.streams.info(SESSIONS_STREAM);
      expect(state.first_seq).to.be.above(before);
      await delivery.ack();
      expect((await queuedSessions(bus)).has(old)).to.equal(true);
    });
  }

  it("are not those of a server that cannot be reached, or does not answer", async () => {
    await start();
    const { port } = servers.nats;
    const proxy = resources.use(await TcpProxy.start({ host: "127.0.0.1", port }));
    const url = (role: "api" | "stream-admin") => servers.natsUrl(role, proxy.port);
    const api = await startApi({ NATS_URL: url("api"), NATS_ADMIN_URL: url("stream-admin") });
    const before = await created();
    api.sweep(SWEEP_MS);
    proxy.blackhole(true);
    await api.client.submit("x");
    await until("NATS is away", async () => !(await health(api)).includes('"nats":{"status":"healthy"'));
    proxy.blackhole(false);
    await until("the wake-up is there", async () => (await queuedSessions(bus)).size === 1);
    await servers.killNats();
    await api.client.submit("x");
    await servers.restartNats();
    await until("both are there", async () => (await queuedSessions(bus)).size === 2);
    expect(await created()).to.deep.equal(before);
    expect(STREAMS.map(await remade([api]))).to.deep.equal([0, 0, 0]);
  });
});
